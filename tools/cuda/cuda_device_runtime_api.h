#include <reprise/cuda.h>
