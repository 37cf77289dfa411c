/* C = A × B of N × N integers, by rows: core c has rows c, c + cores, ... The checksum of C is printed. */
#include "reprise_guest.h"

#ifndef N
#define N 32
#endif

int A[N][N], B[N][N], C[N][N];

static void fill(unsigned core, unsigned cores)
{
    for (unsigned i = core; i < N; i += cores)
        for (unsigned j = 0; j < N; j++) {
            A[i][j] = (int)(i * 7 + j * 3) % 17 - 8;
            B[i][j] = (int)(i * 5 + j * 11) % 19 - 9;
        }
}

static void multiply(unsigned core, unsigned cores)
{
    for (unsigned i = core; i < N; i += cores)
        for (unsigned j = 0; j < N; j++) {
            int sum = 0;
            for (unsigned k = 0; k < N; k++)
                sum += A[i][k] * B[k][j];
            C[i][j] = sum;
        }
}

static uint32_t checksum(void)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < N; i++)
        for (unsigned j = 0; j < N; j++)
            sum = sum * 31 + (uint32_t)C[i][j];
    return sum;
}

int main(void)
{
    const unsigned core = guest_core(), cores = guest_cores();
    fill(core, cores);
    guest_barrier();
    multiply(core, cores);
    guest_barrier();
    if (core == 0)
        guest_print_hex(checksum());
    return 0;
}
