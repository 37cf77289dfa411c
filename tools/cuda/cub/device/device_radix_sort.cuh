#include <cub/device/device.cuh>
