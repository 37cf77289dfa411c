#pragma once

extern __device__ int count;
extern __constant__ int table[8];
typedef int operation(int);
extern __device__ operation *operations[2];
__device__ int other_twice(int x);
template <class T> __device__ __noinline__ T scaled(T x) { return 100 * x; }
void launch_other(int *to);
