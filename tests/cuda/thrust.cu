/* Thrust and CUB: sort, reduce, scan, against the C++ library's. */
#include <algorithm>
#include <numeric>
#include <vector>

#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include "test.h"

static std::vector<int> random_numbers(int n)
{
    std::vector<int> v(n);
    unsigned x = 1;
    for (int &i : v) {
        x = x * 1664525u + 1013904223u;
        i = (int)(x >> 8) % 10000;
    }
    return v;
}

int main()
{
    std::vector<int> values = random_numbers(3000), back(values.size());
    thrust::device_vector<int> d(values.begin(), values.end());
    EXPECT(thrust::reduce(d.begin(), d.end()) == std::accumulate(values.begin(), values.end(), 0));
    ok("reduce");
    thrust::inclusive_scan(d.begin(), d.end(), d.begin());
    thrust::copy(d.begin(), d.end(), back.begin());
    std::partial_sum(values.begin(), values.end(), values.begin());
    EXPECT(back == values);
    ok("scan");
    values = random_numbers(3000);
    d = values;
    thrust::sort(d.begin(), d.end());
    thrust::copy(d.begin(), d.end(), back.begin());
    std::sort(values.begin(), values.end());
    EXPECT(back == values);
    ok("sort");
    return 0;
}
