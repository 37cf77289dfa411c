/* Accelerations of n bodies {x, y, z, mass} by all pairs, tiles of bodies in shared memory; n is a multiple of the
 * block size, 64. nbody uses IEEE square root and division, nbody_fast the approximate reciprocal square root. */
#include "cuda_min.cuh"

#define TILE 64
#define SOFTENING 0.01f

struct __attribute__((aligned(16))) body {
    float x, y, z, mass;
};

template <bool FAST> static __device__ __forceinline__ void accelerate(const body *all, float *out, int n, body *tile)
{
    int i = blockIdx.x * TILE + threadIdx.x;
    body me = all[i];
    float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += TILE) {
        tile[threadIdx.x] = all[t + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < TILE; j++) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            float r2 = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, SOFTENING)));
            float inverse = FAST ? rsqrtf(r2) : 1.0f / sqrtf(r2);
            float f = tile[j].mass * inverse * inverse * inverse;
            ax = fmaf(f, dx, ax);
            ay = fmaf(f, dy, ay);
            az = fmaf(f, dz, az);
        }
        __syncthreads();
    }
    out[3 * i] = ax;
    out[3 * i + 1] = ay;
    out[3 * i + 2] = az;
}

KERNEL nbody(const body *all, float *out, int n)
{
    __shared__ body tile[TILE];
    accelerate<false>(all, out, n, tile);
}

KERNEL nbody_fast(const body *all, float *out, int n)
{
    __shared__ body tile[TILE];
    accelerate<true>(all, out, n, tile);
}
