"""Operators of stock PyTorch on a device of Reprise, with PyTorch's own samples of inputs (op_db), compared with what they
compute on the CPU.

    reprise run --device rtx2060 -- python3 operators.py [--count N] [--samples N] [--verbose] [NAME...]

Of all operators it takes N, spread evenly over the list; named ones alone, if any are named. An operator that needs one of
NVIDIA's closed libraries, or that PyTorch does not have for CUDA, is refused, and listed. After an error of a kernel, which lasts for the process, the rest goes on in
a new one. Prints a line for each operator that differs or is refused, then a line of TAP."""
import argparse
import itertools
import os
import sys
import warnings

import torch

warnings.simplefilter('ignore')
torch.backends.cudnn.enabled = False  # before op_db forbids it
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.utils._pytree import tree_flatten, tree_map  # noqa: E402

# What is not the same on each device, or not even twice: random numbers, memory that nobody wrote, bases of null spaces,
# what PyTorch itself leaves empty on the CPU alone, or wants to have there.
WITHOUT_REFERENCE = ('rand', 'normal', 'bernoulli', 'multinomial', 'dropout', 'empty', 'uniform', 'cauchy', 'exponential', 'geometric',
                     'log_normal', 'rrelu', 'svd_lowrank', 'pca_lowrank', 'new_empty', 'resize', 'as_strided',
                     'fractional_max_pool', 'multi_head_attention', 'native_batch_norm', 'tensor_split')
LIBRARIES = ('CUDNN', 'CUFFT', 'CUSOLVER', 'CUSPARSE', 'CUBLAS_STATUS_NOT_SUPPORTED')
LASTING = ('CUDA error', 'an illegal memory access', 'device-side assert', 'misaligned address')


def chosen(arguments):
    names = set(arguments.name)
    able = [op for op in op_db if op.supports_dtype(torch.float32, 'cpu') and op.supports_dtype(torch.float32, 'cuda')
            and not any(word in op.name for word in WITHOUT_REFERENCE)]
    if names:
        return [op for op in able if op.name in names or full_name(op) in names]
    count = min(arguments.count, len(able))
    return [able[i * len(able) // count] for i in range(count)]


def full_name(op):
    return op.name + ('.' + op.variant_test_name if op.variant_test_name else '')


def on_device(value):
    if isinstance(value, torch.Tensor):
        return value.detach().to('cuda')
    if isinstance(value, torch.device) or (isinstance(value, str) and value == 'cpu'):
        return torch.device('cuda')
    return value


def compare(op, sample):
    """None, or why the sample cannot be compared; an AssertionError: it differs."""
    args, kwargs = tree_map(on_device, (sample.input, sample.args)), tree_map(on_device, sample.kwargs)
    try:
        expected = op(sample.input, *sample.args, **sample.kwargs)
    except (RuntimeError, ValueError, NotImplementedError):
        return 'not on the CPU'
    got = op(args[0], *args[1], **kwargs)
    flat, wanted = tree_flatten(got)[0], tree_flatten(expected)[0]
    assert len(flat) == len(wanted), f'{len(flat)} results, {len(wanted)} on the CPU'
    for g, e in zip(flat, wanted):
        if isinstance(e, torch.Tensor):
            torch.testing.assert_close(g.cpu(), e, rtol=2e-3, atol=2e-3, equal_nan=True)
    return None


def outcome(op, samples):
    """'same', 'refused' or 'differs', and why."""
    try:
        for sample in itertools.islice(op.sample_inputs('cpu', torch.float32), samples):
            compare(op, sample)
        return 'same', ''
    except Exception as e:  # an operator may fail in any way; each one is reported
        why = f'{type(e).__name__}: ' + ' '.join(str(e).split())
        refused = isinstance(e, NotImplementedError) or any(library in why.upper() for library in LIBRARIES)
        return 'refused' if refused else 'differs', why


def lasts(why):
    return any(text in why for text in LASTING)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--samples', type=int, default=2)
    parser.add_argument('--verbose', action='store_true')
    parser.add_argument('--done', default='', help='what a process before this one has found: same,refused,differs')
    parser.add_argument('name', nargs='*')
    arguments = parser.parse_args()
    counts = dict(zip(('same', 'refused', 'differs'), map(int, arguments.done.split(','))) if arguments.done
                  else (('same', 0), ('refused', 0), ('differs', 0)))
    for op in chosen(arguments)[sum(counts.values()):]:
        result, why = outcome(op, arguments.samples)
        counts[result] += 1
        if result != 'same' or arguments.verbose:
            print(f'# {result}: {full_name(op)}{": " if why else ""}{why[:300]}', flush=True)
        if result == 'differs' and lasts(why):
            done = ','.join(str(counts[k]) for k in ('same', 'refused', 'differs'))
            rest = [a for a in sys.argv[1:] if not a.startswith('--done')]
            os.execv(sys.executable, [sys.executable, sys.argv[0], f'--done={done}', *rest])
    print(f'{"not ok" if counts["differs"] else "ok"} - PyTorch on {torch.cuda.get_device_name()}: {counts["same"]} operators as on the '
          f'CPU, {counts["refused"]} refused, {counts["differs"]} differ')
    return counts['differs'] > 0


if __name__ == '__main__':
    sys.exit(main())
