/* C = A B on the CPU as if on a GPU: the result in place, the cycles on a Jetson TX2, and a trace. */
#include <stdio.h>

#include <reprise.h>

enum { N = 128 };
static float a[N][N], b[N][N], c[N][N];

int main(void)
{
    for (int i = 0; i < N * N; i++) {
        a[i / N][i % N] = (float)(i % 7);
        b[i / N][i % N] = (float)(i % 5);
    }
    struct rp_error err;
    struct reprise_result r;
    struct reprise_options options = {.module = "matmul.ptx", .trace = "matmul-host.wtr", .machine = "jetson-tx2"};
    struct reprise_launch matmul = {.kernel = "matmul", .grid = {N / 16, N / 16}, .block = {16, 16}};
    matmul.args[0] = reprise_in(a, sizeof a);
    matmul.args[1] = reprise_in(b, sizeof b);
    matmul.args[2] = reprise_out(c, sizeof c);
    matmul.args[3] = reprise_i32(N);

    struct reprise *gpu = reprise_open(&options, &err);
    int ok = gpu && reprise_run(gpu, &matmul, &r, &err);
    ok = reprise_close(gpu, ok ? &err : NULL) && ok;
    if (!ok) {
        fprintf(stderr, "%s\n", err.text);
        return err.status;
    }
    printf("C[5][9] = %g\n", (double)c[5][9]);
    printf("%llu cycles, %.1f us, %.3f instructions per cycle, %llu of %llu transactions hit L1\n",
           (unsigned long long)r.cycles, r.microseconds, r.ipc, (unsigned long long)r.l1_hits,
           (unsigned long long)(r.l1_hits + r.l1_misses));
    return 0;
}
