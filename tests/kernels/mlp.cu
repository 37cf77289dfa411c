/* A dense layer with ReLU: y = max(0, W x + bias), one thread per output neuron, one row of blocks per input vector.
 * Three of them with 784, 128, 64 inputs and 10 outputs make PasTiS's network (ERTS 2022, V). */
#include "cuda_min.cuh"

template <typename real>
static __device__ __forceinline__ void layer(const real *w, const real *bias, const real *x, real *y, int in, int out)
{
    int neuron = blockIdx.x * blockDim.x + threadIdx.x;
    if (neuron >= out)
        return;
    const real *mine = x + blockIdx.y * in;
    real sum = bias[neuron];
    for (int i = 0; i < in; i++)
        sum = sum + w[i * out + neuron] * mine[i];
    y[blockIdx.y * out + neuron] = sum > 0 ? sum : 0;
}

KERNEL dense_f32(const float *w, const float *bias, const float *x, float *y, int in, int out)
{
    layer<float>(w, bias, x, y, in, out);
}

KERNEL dense_f64(const double *w, const double *bias, const double *x, double *y, int in, int out)
{
    layer<double>(w, bias, x, y, in, out);
}
