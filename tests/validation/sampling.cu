/* Kernels whose rate changes while they run, for tests of reprise replay --sample. */

/* Blocks begin together, and come apart over tens of waves. Until then each wave takes 4 % longer than in the mean of the
 * launch. */
extern "C" __global__ void sum(const float *a, float *c)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 128; k; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (!t)
        c[blockIdx.x] = s[0];
}

/* The same without barriers: on few SMs of rtx3070 blocks are together for hundreds of waves, and then each takes 7 %
 * less time. */
extern "C" __global__ void polynomial(const float *a, float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i], s = 1;
#pragma unroll
    for (int k = 0; k < 24; k++)
        s = s * x + 0.1f * k;
    c[i] = s;
}

/* The further back a block is, the more sectors its warps load. */
extern "C" __global__ void stride(const float *a, float *c)
{
    int first = blockIdx.x * blockDim.x, stride = 1 + blockIdx.x / 512;
    c[first + threadIdx.x] = a[(first + threadIdx.x * stride) & 0xfffff];
}

/* A table of 1 MB, of which caches hold more and more. */
extern "C" __global__ void table(const float *a, float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned hash = i * 2654435761u;
    float s = 0;
    for (int k = 0; k < 4; k++) {
        s += a[(hash >> 8) & 0x3ffff];
        hash = hash * 1664525u + 1013904223u;
    }
    c[i] = s;
}

/* Blocks do more and less work, in turns of some 2,000. */
extern "C" __global__ void rounds(const float *a, float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, place = blockIdx.x % 2048;
    int n = 2 + (place < 1024 ? place : 2048 - place) / 200 + (int)(a[i] * 2);
    float s = 0;
    for (int k = 0; k < n; k++)
        s = s * a[i] + a[(i + k * 4096) & 0xfffff];
    c[i] = s;
}
