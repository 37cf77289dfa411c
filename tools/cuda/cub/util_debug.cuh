#include <cub/util/common.cuh>
