/* Iterations until z = z^2 + c leaves the circle of radius 2: neighbouring threads part ways. */
#include "cuda_min.cuh"

KERNEL mandelbrot(int *out, int w, int h, int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w || py >= h)
        return;
    float cx = (float)px * 3.0f / (float)w - 2.25f, cy = (float)py * 2.5f / (float)h - 1.25f;
    float x = 0, y = 0;
    int i = 0;
    while (i < limit && x * x + y * y <= 4.0f) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        i++;
    }
    out[py * w + px] = i;
}
