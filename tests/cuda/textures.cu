/* Textures and surfaces, each against the CPU's result. */
#include <cmath>

#include "test.h"

const int W = 16, H = 8;

__global__ void read_texture(cudaTextureObject_t t, float *out, float shift)
{
    int x = threadIdx.x, y = threadIdx.y;
    out[y * W + x] = tex2D<float>(t, x + 0.5f + shift, y + 0.5f);
}

__global__ void read_linear(cudaTextureObject_t t, int *out) { out[threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x); }

__global__ void double_surface(cudaSurfaceObject_t s)
{
    float value;
    surf2Dread(&value, s, threadIdx.x * sizeof(float), threadIdx.y);
    surf2Dwrite(2 * value, s, threadIdx.x * sizeof(float), threadIdx.y);
}

static cudaTextureObject_t texture(cudaArray_t array, cudaTextureFilterMode filter)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = filter;
    CHECK(cudaCreateTextureObject(&t, &resource, &how, nullptr));
    return t;
}

static void two_dimensions(cudaArray_t array, const float (*values)[W], float *device)
{
    float back[H][W];
    cudaTextureObject_t point = texture(array, cudaFilterModePoint), linear = texture(array, cudaFilterModeLinear);
    read_texture<<<1, dim3(W, H)>>>(point, device, 1);
    CHECK(cudaMemcpy(back, device, sizeof back, cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            EXPECT(back[y][x] == values[y][x + 1 < W ? x + 1 : W - 1]);
    ok("texture of an array");
    read_texture<<<1, dim3(W, H)>>>(linear, device, 0.5f);
    CHECK(cudaMemcpy(back, device, sizeof back, cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++)
        for (int x = 0; x + 1 < W; x++)
            EXPECT(std::fabs(back[y][x] - (values[y][x] + values[y][x + 1]) / 2) < 1e-3f);
    ok("linear filter");
    CHECK(cudaDestroyTextureObject(point));
    CHECK(cudaDestroyTextureObject(linear));
}

static void linear_memory()
{
    int values[32], back[32], *in, *out;
    for (int i = 0; i < 32; i++)
        values[i] = i * i;
    CHECK(cudaMalloc(&in, sizeof values));
    CHECK(cudaMalloc(&out, sizeof back));
    CHECK(cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = in;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = sizeof values;
    CHECK(cudaCreateTextureObject(&t, &resource, &how, nullptr));
    read_linear<<<1, 32>>>(t, out);
    CHECK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        EXPECT(back[i] == values[i]);
    ok("texture of linear memory");
}

static void surface(cudaArray_t array, const float (*values)[W])
{
    float back[H][W];
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t s;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&s, &resource));
    double_surface<<<1, dim3(W, H)>>>(s);
    CHECK(cudaMemcpy2DFromArray(back, sizeof *back, array, 0, 0, sizeof *back, H, cudaMemcpyDeviceToHost));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            EXPECT(back[y][x] == 2 * values[y][x]);
    CHECK(cudaDestroySurfaceObject(s));
    ok("surface");
}

int main()
{
    static float values[H][W];
    float *device;
    cudaArray_t array;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            values[y][x] = 100.0f * y + x;
    CHECK(cudaMallocArray(&array, &channel, W, H, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, values, sizeof *values, sizeof *values, H, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&device, sizeof values));
    two_dimensions(array, values, device);
    linear_memory();
    surface(array, values);
    CHECK(cudaFreeArray(array));
    return 0;
}
