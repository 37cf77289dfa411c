/* printf from the kernel: every conversion that C and CUDA share, and nothing from threads that do not reach it. */
#include "cuda_min.cuh"

KERNEL print(const char *text, float f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 16 == 5) {
        printf("thread %d of block %u: %5d|%-5d|%05d|%+d|%x|%#X|%o\n", threadIdx.x, blockIdx.x, i, i, i, i, i * 77,
               i * 77, i);
        printf("%lld %llu %c %s %% %f %.3e %g %10.4f|\n", (long long)i << 40, 1ull << 63 | i, 'a' + i % 26, text,
               (double)f, (double)(f * i), 1.0 / (i + 1), -(double)i);
    }
}
