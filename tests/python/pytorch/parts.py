"""Stock PyTorch on a device of Reprise: what kernels of its wheel compute, compared with its own computation on the CPU.

    reprise run --device rtx2060 -- python3 parts.py [PART...]

Prints a line of TAP for each part."""
import sys

import torch

torch.manual_seed(1)
torch.backends.cudnn.enabled = False
GPU = 'cuda'


def close(name, got, expected, tolerance=1e-5):
    got, expected = torch.as_tensor(got).cpu(), torch.as_tensor(expected)
    torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance, equal_nan=True, msg=lambda m: f'{name}: {m}')


def both(name, function, *inputs, tolerance=1e-5):
    """The function of tensors, on the CPU and on the device."""
    expected = function(*inputs)
    got = function(*(x.to(GPU) if isinstance(x, torch.Tensor) else x for x in inputs))
    if not isinstance(expected, (tuple, list)):
        expected, got = (expected,), (got,)
    for g, e in zip(got, expected, strict=True):
        close(name, g, e, tolerance)


def creation():
    close('zeros', torch.zeros(10, device=GPU) + 1, torch.ones(10))
    close('arange', torch.arange(1000, device=GPU), torch.arange(1000))
    close('linspace', torch.linspace(0, 1, 77, device=GPU), torch.linspace(0, 1, 77))
    close('full', torch.full((3, 5), 2.5, device=GPU), torch.full((3, 5), 2.5))
    close('eye', torch.eye(9, device=GPU), torch.eye(9))
    close('tril', torch.ones(7, 7, device=GPU).tril(-1), torch.ones(7, 7).tril(-1))


def elementwise():
    x, y = torch.randn(3, 700), torch.randn(3, 700)
    for f in (torch.add, torch.mul, torch.sub, torch.div, torch.maximum, torch.atan2, torch.fmod):
        both(f.__name__, f, x, y)
    for f in (torch.exp, torch.sin, torch.tanh, torch.sigmoid, torch.erf, torch.abs, torch.floor, torch.sign, torch.square):
        both(f.__name__, f, x)
    both('log', torch.log, x.abs())
    both('rsqrt', torch.rsqrt, x.abs() + 0.1)
    both('lgamma', torch.lgamma, x.abs() + 1)
    both('where', lambda a, b: torch.where(a > b, a, b * 2), x, y)
    both('broadcast', lambda a, b: a[:, :5].unsqueeze(2) * b[0, :7], x, y)
    for t in (torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.int64, torch.uint8):
        both(str(t), lambda a: (a * 3 + 1).to(t) * 2, x.abs(), tolerance=2e-2 if t == torch.bfloat16 else 2e-3)
    both('complex', lambda a, b: torch.complex(a, b) * torch.complex(b, a), x, y)


def reductions():
    x = torch.randn(17, 300)
    for f in (torch.sum, torch.mean, torch.amax, torch.amin, torch.var, torch.std, torch.logsumexp):
        both(f.__name__, lambda a: f(a, dim=1), x, tolerance=1e-4)
        both(f.__name__, lambda a: f(a, dim=0), x, tolerance=1e-4)
    both('argmax', lambda a: a.argmax(dim=1), x)
    both('any and all', lambda a: ((a > 2).any(dim=1), (a > -9).all(), torch.count_nonzero(a > 0)), x)
    both('norm', lambda a: torch.linalg.vector_norm(a, dim=1), x)
    both('max', lambda a: a.max(dim=0), x)
    both('sum of 70000', lambda a: a.sum(), torch.randn(70000).double(), tolerance=1e-9)


def softmax():
    x = torch.randn(5, 333)
    both('softmax', lambda a: torch.softmax(a, dim=1), x)
    both('log_softmax', lambda a: torch.log_softmax(a, dim=1), x)
    both('softmax over columns', lambda a: torch.softmax(a, dim=0), x)
    both('softmax of many', lambda a: torch.softmax(a, dim=1), torch.randn(2, 5000))


def normalisation():
    layer, batch, group = torch.nn.LayerNorm(96), torch.nn.BatchNorm1d(12), torch.nn.GroupNorm(3, 12)
    x = torch.randn(8, 12, 96)
    for module in (layer, batch, group):
        expected = module(x)
        close(type(module).__name__, module.to(GPU)(x.to(GPU)), expected, 1e-4)


def convolution():
    x, weight = torch.randn(2, 3, 14, 14), torch.randn(5, 3, 3, 3)
    both('conv2d', lambda a, w: torch.nn.functional.conv2d(a, w, padding=1), x, weight, tolerance=1e-4)
    both('max_pool2d', lambda a: torch.nn.functional.max_pool2d(a, 2), x)
    both('avg_pool2d', lambda a: torch.nn.functional.avg_pool2d(a, 3), x)
    both('interpolate', lambda a: torch.nn.functional.interpolate(a, scale_factor=2, mode='bilinear'), x)


def attention():
    q, k, v = (torch.randn(1, 2, 70, 32) for _ in range(3))
    both('attention', torch.nn.functional.scaled_dot_product_attention, q, k, v, tolerance=1e-4)
    both('attention of halves', lambda *t: torch.nn.functional.scaled_dot_product_attention(*(x.half() for x in t)), q, k, v,
         tolerance=1e-2)


def indexing():
    x, at = torch.randn(50, 20), torch.randint(0, 50, (30,))
    both('gather rows', lambda a, i: a[i], x, at)
    both('index_select', lambda a, i: a.index_select(0, i), x, at)
    both('index_add', lambda a, i: a.index_add(0, i, a[:30]), x, at, tolerance=1e-4)
    both('scatter', lambda a, i: a.scatter_add(0, i.view(30, 1).expand(30, 20), a[:30]), x, at, tolerance=1e-4)
    both('mask', lambda a: a[a > 0], x)
    both('nonzero', lambda a: (a > 1).nonzero(), x)
    both('take', lambda a, i: torch.take(a, i), x, at)
    both('roll and flip', lambda a: a.roll(3, 0).flip(1), x)
    both('cat', lambda a: torch.cat([a, a.t().reshape(50, 20)], dim=1), x)
    both('embedding', lambda a, i: torch.nn.functional.embedding(i, a), x, at)


def sorting():
    x = torch.randn(6, 500)
    both('sort', lambda a: a.sort(dim=1), x)
    both('sort of one row', lambda a: a.flatten().sort(), x)
    both('argsort', lambda a: a.argsort(dim=1, descending=True), x)
    both('topk', lambda a: a.topk(7, dim=1), x)
    both('kthvalue', lambda a: a.kthvalue(100, dim=1), x)
    both('median', lambda a: a.median(), x)
    both('unique', lambda a: torch.unique((a * 2).long(), return_counts=True), x)
    both('searchsorted', lambda a: torch.searchsorted(a[0].sort().values, a[1]), x)
    both('histogram', lambda a: torch.bincount((a.flatten() + 5).long()), x)


def scans():
    x = torch.randn(4, 900)
    both('cumsum', lambda a: a.cumsum(dim=1), x, tolerance=1e-4)
    both('cumsum of columns', lambda a: a.cumsum(dim=0), x)
    both('cumprod', lambda a: (a / 9 + 1).cumprod(dim=1), x, tolerance=1e-3)
    both('cummax', lambda a: a.cummax(dim=1), x)
    both('cumsum of one row', lambda a: (a.flatten() * 9).long().cumsum(0), x)
    both('logcumsumexp', lambda a: a.logcumsumexp(dim=1), x, tolerance=1e-4)


def random():
    torch.manual_seed(7)
    one = [torch.rand(3000, device=GPU), torch.randn(3000, device=GPU), torch.randint(0, 10, (3000,), device=GPU)]
    torch.manual_seed(7)
    two = [torch.rand(3000, device=GPU), torch.randn(3000, device=GPU), torch.randint(0, 10, (3000,), device=GPU)]
    for a, b in zip(one, two):
        close('the same seed', a, b.cpu())
    uniform, normal, integers = (t.cpu().double() for t in one)
    assert 0 <= uniform.min() and uniform.max() < 1 and abs(uniform.mean() - 0.5) < 0.03
    assert abs(normal.mean()) < 0.1 and abs(normal.std() - 1) < 0.1
    assert sorted(set(integers.tolist())) == list(range(10))
    permutation = torch.randperm(500, device=GPU)
    close('a permutation', permutation.sort().values, torch.arange(500))
    assert abs(torch.bernoulli(torch.full((4000,), 0.25, device=GPU)).mean().item() - 0.25) < 0.05
    assert abs(torch.empty(4000, device=GPU).exponential_().mean().item() - 1) < 0.1
    draws = torch.multinomial(torch.tensor([1.0, 0, 3.0], device=GPU), 2000, replacement=True)
    assert 0.6 < (draws == 2).double().mean().item() < 0.9 and not (draws == 1).any().item()


def dropout():
    x = torch.ones(4000, device=GPU, requires_grad=True)
    y = torch.nn.functional.dropout(x, 0.25)
    y.sum().backward()
    kept = y != 0
    assert 0.7 < kept.double().mean().item() < 0.8
    close('what is kept', y[kept], torch.full((int(kept.sum().item()),), 4 / 3))
    close('the gradient', x.grad, y.detach().cpu())


def products():
    a, b = torch.randn(37, 50), torch.randn(50, 29)
    both('matmul', torch.matmul, a, b, tolerance=1e-4)
    both('addmm', lambda m, n: torch.addmm(torch.ones(37, 29, device=m.device), m, n), a, b, tolerance=1e-4)
    both('bmm', lambda m: torch.bmm(m.view(2, 25, 37), m.view(2, 37, 25)), torch.randn(1850), tolerance=1e-4)
    both('matmul of halves', lambda m, n: m.half() @ n.half(), a, b, tolerance=2e-2)
    both('matvec', lambda m, n: m @ n[:, 0], a, b, tolerance=1e-4)
    both('einsum', lambda m, n: torch.einsum('ij,jk->ki', m, n), a, b, tolerance=1e-4)


def losses():
    x, target, classes = torch.randn(40, 10), torch.randn(40, 10), torch.randint(0, 10, (40,))
    functional = torch.nn.functional

    def with_gradient(loss):
        def run(a, t):
            a = a.detach().clone().requires_grad_()
            value = loss(a, t)
            value.backward()
            return value.detach(), a.grad
        return run
    for name in ('mse_loss', 'l1_loss', 'smooth_l1_loss', 'huber_loss'):
        both(name, with_gradient(getattr(functional, name)), x, target)
    both('cross_entropy', with_gradient(functional.cross_entropy), x, classes)
    both('nll_loss', with_gradient(lambda a, t: functional.nll_loss(torch.log_softmax(a, 1), t)), x, classes)
    both('binary_cross_entropy_with_logits', with_gradient(functional.binary_cross_entropy_with_logits), x, target.sigmoid())
    both('kl_div', with_gradient(lambda a, t: functional.kl_div(torch.log_softmax(a, 1), t, reduction='batchmean')), x,
         torch.softmax(target, 1))


def optimisers():
    kinds = {'SGD': dict(lr=0.1, momentum=0.9), 'Adam': dict(lr=0.01), 'AdamW': dict(lr=0.01, fused=None),
             'RMSprop': dict(lr=0.01), 'Adagrad': dict(lr=0.1)}
    for name, options in kinds.items():
        def train(x, y):
            torch.manual_seed(3)
            net = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.GELU(), torch.nn.LayerNorm(16), torch.nn.Linear(16, 1))
            net.to(x.device)
            optimiser = getattr(torch.optim, name)(net.parameters(), **options)
            for _ in range(3):
                optimiser.zero_grad()
                loss = torch.nn.functional.mse_loss(net(x), y)
                loss.backward()
                optimiser.step()
            return [loss.detach(), *(p.detach() for p in net.parameters())]
        both(name, train, torch.randn(20, 6), torch.randn(20, 1), tolerance=1e-3)
    weights = [torch.randn(50, device=GPU, requires_grad=True) for _ in range(3)]
    before = [w.detach().clone() for w in weights]
    fused = torch.optim.Adam(weights, lr=0.01, fused=True)
    sum((w * w).sum() for w in weights).backward()
    fused.step()
    for w, b in zip(weights, before):
        close('fused Adam', w.detach(), (b - 0.01 * b.sign()).cpu(), 1e-4)


PARTS = [creation, elementwise, reductions, softmax, normalisation, convolution, attention, indexing, sorting, scans, random, dropout,
         products, losses, optimisers]


def main():
    wanted, failed = sys.argv[1:], 0
    device = torch.cuda.get_device_name()
    for part in PARTS:
        if wanted and part.__name__ not in wanted:
            continue
        try:
            part()
            print(f'ok - PyTorch on {device}: {part.__name__}', flush=True)
        except (AssertionError, RuntimeError, IndexError) as e:
            failed += 1
            print(f'not ok - PyTorch on {device}: {part.__name__}: ' + ' '.join(str(e).split())[:400], flush=True)
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
