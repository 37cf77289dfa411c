/* Each core sorts arrays of its own, by recursion and through pointers to functions of comparison. */
#include "reprise_guest.h"

#ifndef ARRAYS
#define ARRAYS 64
#endif
#define LENGTH 100

typedef int (*compare_fn)(const void *, const void *);

static int arrays[ARRAYS][LENGTH];

static int ascending(const void *a, const void *b) { return *(const int *)a < *(const int *)b; }
static int descending(const void *a, const void *b) { return *(const int *)a > *(const int *)b; }
static int by_low_byte(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x & 255) != (y & 255) ? (x & 255) < (y & 255) : x < y;
}

static compare_fn const comparisons[] = {ascending, descending, by_low_byte};

static void swap(int *a, int *b)
{
    const int t = *a;
    *a = *b;
    *b = t;
}

static void sort(int *from, int *to, compare_fn before)
{
    while (to - from > 1) {
        int *left = from, *right = to - 1;
        const int pivot = from[(to - from) / 2];
        while (left <= right) {
            while (before(left, &pivot))
                left++;
            while (before(&pivot, right))
                right--;
            if (left <= right)
                swap(left++, right--);
        }
        sort(from, right + 1, before);
        from = left;
    }
}

int main(void)
{
    const unsigned core = guest_core(), cores = guest_cores();
    for (unsigned a = core; a < ARRAYS; a += cores) {
        uint32_t x = a * 2654435761u + 12345;
        for (unsigned i = 0; i < LENGTH; i++) {
            x = x * 1664525 + 1013904223;
            arrays[a][i] = (int)x >> 8;
        }
        sort(arrays[a], arrays[a] + LENGTH, comparisons[a % 3]);
    }
    guest_barrier();
    if (core == 0) {
        uint32_t sum = 0;
        for (unsigned a = 0; a < ARRAYS; a++)
            for (unsigned i = 0; i < LENGTH; i++)
                sum = sum * 31 + (uint32_t)arrays[a][i];
        guest_print_hex(sum);
    }
    return 0;
}
