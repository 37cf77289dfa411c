/* Prints the capability of the device that a program of the driver API sees. Its arguments are libraries that it loads
 * before. */
#include <dlfcn.h>
#include <stdio.h>

#include "frontend/cuda/abi/driver.h"

enum { MAJOR = 75, MINOR = 76 }; /* CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_... */

int main(int argc, char **argv)
{
    int major = 0, minor = 0;
    for (int i = 1; i < argc; i++)
        if (!dlopen(argv[i], RTLD_NOW))
            return 2;
    if (cuInit(0) || cuDeviceGetAttribute(&major, MAJOR, 0) || cuDeviceGetAttribute(&minor, MINOR, 0))
        return 1;
    printf("%d.%d\n", major, minor);
    return 0;
}
