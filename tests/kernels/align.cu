/* Sequence alignment by anti-diagonals in shared memory. */
#include "cuda_min.cuh"

#define TILE 16
#define MATCH 3
#define MISMATCH -2
#define GAP -4

static __device__ int best(int a, int b, int c) { return a > b ? (a > c ? a : c) : (b > c ? b : c); }

/* Needleman-Wunsch: one anti-diagonal of TILE x TILE tiles per launch, one block of TILE threads per tile. `score` is
 * (n + 1) x (n + 1) with its first row and column filled in; block b takes the tile in column first + b, row
 * diagonal - first - b. */
KERNEL needleman_wunsch(int *score, const char *a, const char *b, int n, int diagonal, int first)
{
    __shared__ int cell[TILE + 1][TILE + 1];
    int x = threadIdx.x, width = n + 1;
    int tile_x = first + blockIdx.x, tile_y = diagonal - tile_x;
    int *corner = score + tile_y * TILE * width + tile_x * TILE;
    cell[0][x + 1] = corner[x + 1];
    cell[x + 1][0] = corner[(x + 1) * width];
    if (x == 0)
        cell[0][0] = corner[0];
    __syncthreads();
    for (int d = 0; d < 2 * TILE - 1; d++) {
        int y = d - x;
        if (y >= 0 && y < TILE) {
            int pair = a[tile_y * TILE + y] == b[tile_x * TILE + x] ? MATCH : MISMATCH;
            cell[y + 1][x + 1] = best(cell[y][x] + pair, cell[y][x + 1] + GAP, cell[y + 1][x] + GAP);
        }
        __syncthreads();
    }
    for (int y = 1; y <= TILE; y++)
        corner[y * width + x + 1] = cell[y][x + 1];
}

/* Smith-Waterman: the best local score of pair blockIdx.x of sequences of n = blockDim.x letters each, one thread per
 * column, three anti-diagonals in shared memory. */
KERNEL smith_waterman(const char *a, const char *b, int *scores)
{
    __shared__ int diagonal[3][1025];
    __shared__ int top;
    int x = threadIdx.x, n = blockDim.x;
    char mine = b[blockIdx.x * n + x];
    for (int d = 0; d < 3; d++)
        diagonal[d][x + 1] = 0;
    if (x == 0) {
        diagonal[0][0] = diagonal[1][0] = diagonal[2][0] = 0;
        top = 0;
    }
    __syncthreads();
    int highest = 0;
    for (int d = 0; d < 2 * n - 1; d++) {
        int *now = diagonal[d % 3], *last = diagonal[(d + 2) % 3], *before = diagonal[(d + 1) % 3];
        int y = d - x;
        if (y >= 0 && y < n) {
            int pair = a[blockIdx.x * n + y] == mine ? MATCH : MISMATCH;
            int corner = y > 0 ? before[x] : 0, above = y > 0 ? last[x + 1] : 0;
            int v = best(corner + pair, above + GAP, last[x] + GAP);
            v = v > 0 ? v : 0;
            now[x + 1] = v;
            highest = v > highest ? v : highest;
        }
        __syncthreads();
    }
    atomicMax(&top, highest);
    __syncthreads();
    if (x == 0)
        scores[blockIdx.x] = top;
}
