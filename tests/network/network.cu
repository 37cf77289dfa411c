/* The layers of a dense network for a batch of images, after PasTiS (ERTS 2022, V): each a matrix multiplication through
 * shared memory, in tiles of 16 x 16, one thread per neuron and image; and the softmax, one thread per image. Products
 * are added to the bias in the order of the inputs, so that a CPU gets the same bits. */
#include "tests/kernels/cuda_min.cuh"

#include "tests/kernels/double_math.h"

#define TILE 16

template <typename real>
static __device__ __forceinline__ void dense(const real *x, const real *w, const real *bias, real *y, int images,
                                             int in, int out, int relu)
{
    __shared__ real x_tile[TILE][TILE], w_tile[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int neuron = blockIdx.x * TILE + tx, image = blockIdx.y * TILE + ty;
    real sum = neuron < out ? bias[neuron] : 0;
    for (int i = 0; i < in; i += TILE) {
        x_tile[ty][tx] = image < images && i + tx < in ? x[image * in + i + tx] : 0;
        w_tile[ty][tx] = i + ty < in && neuron < out ? w[(i + ty) * out + neuron] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum = sum + x_tile[ty][k] * w_tile[k][tx];
        __syncthreads();
    }
    if (image < images && neuron < out)
        y[image * out + neuron] = relu && sum < 0 ? 0 : sum;
}

/* 2^(x log2 e), with the special function unit's approximation of 2^y. */
static __device__ __forceinline__ float exponential(float x) { return __nvvm_ex2_approx_f(x * 0x1.715476p+0f); }
static __device__ __forceinline__ double exponential(double x) { return dm_exp(x); }

template <typename real>
static __device__ __forceinline__ void softmax(const real *x, real *p, int images, int classes)
{
    int image = blockIdx.x * blockDim.x + threadIdx.x;
    if (image >= images)
        return;
    x += image * classes;
    p += image * classes;
    real most = x[0], sum = 0;
    for (int c = 1; c < classes; c++)
        most = x[c] > most ? x[c] : most;
    for (int c = 0; c < classes; c++)
        sum = sum + (p[c] = exponential(x[c] - most));
    for (int c = 0; c < classes; c++)
        p[c] = p[c] / sum;
}

KERNEL dense_f32(const float *x, const float *w, const float *bias, float *y, int images, int in, int out, int relu)
{
    dense<float>(x, w, bias, y, images, in, out, relu);
}
KERNEL dense_f64(const double *x, const double *w, const double *bias, double *y, int images, int in, int out, int relu)
{
    dense<double>(x, w, bias, y, images, in, out, relu);
}
KERNEL softmax_f32(const float *x, float *p, int images, int classes) { softmax<float>(x, p, images, classes); }
KERNEL softmax_f64(const double *x, double *p, int images, int classes) { softmax<double>(x, p, images, classes); }
