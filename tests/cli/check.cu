// Kernels that go wrong, one for each kind of finding. tests/cli/check.sh looks for the lines that are marked.
#define KERNEL extern "C" __global__ void
extern "C" __device__ void *malloc(decltype(sizeof 0));
#define X threadIdx.x
#define B blockIdx.x

KERNEL init_shared(int *out)
{
    __shared__ int t[64];
    if (X < 32)
        t[X] = X;
    __syncthreads();
    out[X] = t[X]; // init_shared
}

KERNEL init_local(int *out, int n)
{
    int t[16];
    for (int i = 0; i < n; i++)
        t[i] = i;
    out[X] = t[(n + X) % 16]; // init_local
}

KERNEL init_buffer(int *in, int *out)
{
    if (X < 4)
        in[X] = 1;
    __syncthreads();
    out[X] = in[X / 2]; // init_buffer
}

KERNEL init_heap(int *out)
{
    volatile int *p = (volatile int *)malloc(64);
    p[0] = 1;
    out[X] = p[0] + p[1]; // init_heap
}

KERNEL race_warps(int *out)
{
    __shared__ int t[64];
    t[X] = X; // race_warps store
    out[X] = t[63 - X]; // race_warps load
}

// Some warps load a whole row before one stores there, others after that.
KERNEL race_row(int *out)
{
    __shared__ int t[32];
    if (X < 32)
        t[X] = X;
    __syncthreads();
    out[X] = t[X % 32]; // race_row load
    if (X / 32 == 1)
        t[X % 32] = 0; // race_row store
}

KERNEL race_store_after_load(int *out)
{
    __shared__ int t[64];
    t[X] = X;
    __syncthreads();
    int v = t[(X + 32) % 64]; // race_store_after_load load
    t[X] = v + 1; // race_store_after_load store
    __syncthreads();
    out[X] = t[X];
}

KERNEL race_lanes(int *out)
{
    __shared__ int t[32];
    t[X] = X; // race_lanes store
    out[X] = t[31 - X]; // race_lanes load
}

/* What each cell's own thread loads first hides nothing of what the other loads. */
KERNEL race_scattered(int *out)
{
    __shared__ int t[96];
    out[X] = t[2 * X];
    out[X] += t[2 * X + 2]; // race_scattered load
    t[2 * X] = out[X]; // race_scattered store
}

KERNEL race_blocks(int *out)
{
    out[X] += B; // race_blocks
}

KERNEL race_bytes(char *out)
{
    __shared__ char t[256];
    t[X] = X; // race_bytes store
    out[X] = t[X ^ 32]; // race_bytes load
}

KERNEL race_no_fence(int *data, volatile int *flag, int *out)
{
    if (B == 0) {
        data[0] = 7; // race_no_fence store
    } else {
        out[B] = data[0]; // race_no_fence load
    }
}

// Atomics and fences whose scope is the block order nothing between blocks.
#define ADD(scope, at) asm volatile("red.relaxed." scope ".global.add.u32 [%0], 1;" ::"l"(at) : "memory")
KERNEL race_scope(int *out)
{
    ADD("cta", out); // race_scope
}

KERNEL race_block_fence(int *data, int *flag, int *out)
{
    if (B == 0) {
        data[0] = 7; // race_block_fence store
        __nvvm_membar_cta();
        ADD("cta", flag);
    } else {
        __nvvm_membar_cta();
        out[B] = data[0]; // race_block_fence load
    }
}

KERNEL right_scope(int *out)
{
    ADD("cta", out + B);
    ADD("gpu", out + B);
    ADD("gpu", out + 8);
    ADD("sys", out + 8);
}

#define COUNT(to) asm volatile("{ .reg .pred p; setp.eq.u32 p, 0, 0; bar.red.popc.u32 %0, 0, p; }" : "=r"(to)::"memory")
// What is stored must be behind a fence before others are told; what was loaded need not.
KERNEL race_told(int *data, volatile int *flag, int *out)
{
    if (B == 0) {
        data[0] = 7; // race_told store
        *flag = 1;
    } else {
        while (!*flag)
            ;
        __threadfence();
        out[B] = data[0]; // race_told load
    }
}

KERNEL race_reset(int *count)
{
    if (X == 0 && B == 0)
        *count = 0; // race_reset store
    ADD("gpu", count); // race_reset add
}

KERNEL right_told(int *data, volatile int *flag, int *out)
{
    if (B == 0) {
        out[0] = data[0];
        *flag = 1;
    } else {
        while (!*flag)
            ;
        data[0] = 7;
    }
}

KERNEL right_last(int *sums, unsigned *count, int *out)
{
    sums[B] = B;
    __threadfence();
    unsigned before;
    asm volatile("atom.global.inc.u32 %0, [%1], 0xffff;" : "=r"(before) : "l"(count) : "memory");
    if (before == 2) {
        out[0] = sums[0] + sums[1] + sums[2];
        *count = 0;
    }
}

struct alignas(16) four {
    int x, y, z, w;
};
KERNEL right_same(four *out)
{
    out[0] = {1, 2, 3, 4};
}

KERNEL race_same(four *out)
{
    out[0] = {1, 2, 3, X >= 32 ? 5 : 4};
} // race_same

KERNEL right_swap(int *value)
{
    for (int old = *value, seen;; old = seen) {
        asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(seen) : "l"(value), "r"(old), "r"(old + 3) : "memory");
        if (seen == old)
            break;
    }
}

KERNEL sync_mixed(int *out)
{
    int count = 0;
    if (X < 32)
        __syncthreads(); // sync_mixed sync
    else
        COUNT(count); // sync_mixed red
    __syncthreads();
    COUNT(count);
    out[X] = count;
}

KERNEL sync_part(int *out)
{
    if (X % 2)
        __syncthreads(); // sync_part
    else
        out[X] = X;
    __syncthreads();
}

KERNEL sync_around(int *out)
{
    if (X < 40)
        __syncthreads(); // sync_around
    out[X] = X;
}

KERNEL sync_two(int *out)
{
    if (X % 2)
        asm volatile("barrier.sync.aligned 0; // odd"); // sync_two odd
    else
        asm volatile("barrier.sync.aligned 0;"); // sync_two even
    out[X] = X;
}

KERNEL sync_warp(int *out)
{
    if (X < 16)
        asm volatile("bar.warp.sync 0xffffffff;"); // sync_warp
    out[X] = X;
}

KERNEL sync_shuffle(int *out)
{
    int v = 0;
    if (X < 16)
        asm volatile("shfl.sync.down.b32 %0, %1, 8, 31, 0xffff;" : "=r"(v) : "r"((int)X)); // sync_shuffle
    out[X] = v;
}

KERNEL sync_never(int *out)
{
    if (X < 32)
        asm volatile("bar.arrive 1, 64;" ::: "memory"); // sync_never
    out[X] = X;
}

// ---- and some that are right ----

KERNEL right_flag(int *data, volatile int *flag, int *out)
{
    if (B == 0) {
        data[0] = 7;
        __threadfence();
        *flag = 1;
    } else {
        while (!*flag)
            ;
        __threadfence();
        out[B] = data[0];
    }
}

KERNEL right_warp(int *out)
{
    __shared__ int t[32];
    t[X] = X;
    __syncwarp();
    out[X] = t[31 - X];
}

KERNEL right_bytes(char *out)
{
    __shared__ char t[256];
    t[X] = X;
    out[X] = t[X];
}

KERNEL right_named(int *out)
{
    __shared__ int t[64];
    if (X < 32) {
        t[X] = X;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[X] = t[X - 32];
    }
}

KERNEL right_lock(int *lock, int *sum)
{
    if (X == 0) {
        while (atomicCAS(lock, 0, 1))
            ;
        __threadfence();
        sum[0] += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

// Lanes come to the barrier one by one, and some have returned: right from Volta on.
KERNEL right_one_by_one(int *lock, int *out)
{
    if (X >= 40)
        return;
    while (atomicCAS(lock, 0, 1))
        ;
    out[0] += 1;
    __threadfence();
    atomicExch(lock, 0);
    __syncthreads();
    asm volatile("bar.warp.sync 0xffffffff;");
    out[1 + X] = X;
}

// 256 words: the other lanes and what comes after go on.
KERNEL memory_goes_on(int *out)
{
    __shared__ volatile int t[64];
    out[X + 240] = X;                                    // memory store
    t[X * 2] = 1;                                        // memory shared
    int sum = *(int *)((char *)out + X) + out[X * 1000]; // memory load
    asm volatile("red.relaxed.gpu.add.u32 [%0], 0;" ::"l"(out + X * 100)); // memory atomic
    out[X] = sum + 7;
}
