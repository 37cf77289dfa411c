/* C = A × B of N × K and K × N integers, by rows: core c has rows c, c + cores, ... The checksum of C is printed,
 * unless FIGURE is defined. */
#include "reprise_guest.h"

#ifndef N
#define N 32
#endif
#ifndef K
#define K N
#endif

int A[N][K], B[K][N], C[N][N];

static void fill(unsigned core, unsigned cores)
{
    for (unsigned i = core; i < N; i += cores)
        for (unsigned k = 0; k < K; k++) {
            A[i][k] = (int)(i * 7 + k * 3) % 17 - 8;
            B[k][i] = (int)(k * 5 + i * 11) % 19 - 9;
        }
}

static void multiply(unsigned core, unsigned cores)
{
    for (unsigned i = core; i < N; i += cores)
        for (unsigned j = 0; j < N; j++) {
            int sum = 0;
            for (unsigned k = 0; k < K; k++)
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
#ifndef FIGURE
    if (core == 0)
        guest_print_hex(checksum());
#else
    (void)checksum;
#endif
    return 0;
}
