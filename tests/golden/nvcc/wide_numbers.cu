/* What nvcc makes of 128-bit integers. wide_numbers-75.ptx and -100.ptx beside this are what nvcc 13.0.88 wrote:
 *   nvcc -ptx -arch=compute_75 -o wide_numbers-75.ptx wide_numbers.cu      (and compute_100: its newer front end)
 * tests/unit/kernels/wide_numbers.c runs them against the host. */
typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;

struct results {
    unsigned_wide product, left, right, quotient, remainder;
    wide signed_right, signed_quotient, signed_remainder;
};

extern "C" __global__ void wide_numbers(const unsigned_wide *a, const unsigned_wide *b, results *r, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned_wide x = a[i], y = b[i];
    unsigned n = (unsigned)y & 127;
    r[i].product = x * y;
    r[i].left = x << n;
    r[i].right = x >> n;
    r[i].signed_right = (wide)x >> n;
    if (y == 0)
        return;
    r[i].quotient = x / y;
    r[i].remainder = x % y;
    r[i].signed_quotient = (wide)x / (wide)y;
    r[i].signed_remainder = (wide)x % (wide)y;
}
