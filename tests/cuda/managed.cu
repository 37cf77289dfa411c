// A __managed__ variable on several devices.
#include "test.h"

__managed__ int counter;

static __global__ void count() { counter += 1; }

int main()
{
    int devices;
    CHECK(cudaGetDeviceCount(&devices));
    for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        count<<<1, 1>>>();
        CHECK(cudaDeviceSynchronize());
        printf("device %d: %d\n", d, counter);
    }
    return 0;
}
