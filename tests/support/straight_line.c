#include "tests/support/straight_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frontend/host/launch.h"

enum { INSTRUCTIONS = 40000000, REGISTERS = 16 };

/* The kind of instruction i. */
static uint32_t kind_of(enum straight_mix mix, uint32_t i)
{
    switch (mix) {
    case STRAIGHT_ONE: return 0;
    case STRAIGHT_TURNS: return i % 8;
    default: { /* the finalizer of SplitMix64 */
        uint64_t z = i * UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        return (uint32_t)(z >> 61);
    }
    }
}

static void print_body(FILE *f, enum straight_mix mix, uint32_t length)
{
    static const char *const kinds[] = {
        "add.u32 %%r%1$u, %%r%2$u, %3$u;\n", "mul.lo.u32 %%r%1$u, %%r%2$u, %%r7;\n",
        "xor.b32 %%r%1$u, %%r%2$u, %%r3;\n", "mad.lo.u32 %%r%1$u, %%r%2$u, %3$u, %%r5;\n",
        "shl.b32 %%r%1$u, %%r%2$u, 3;\n",    "fma.rn.f32 %%f%1$u, %%f%2$u, %%f1, %%f2;\n",
        "add.f32 %%f%1$u, %%f%2$u, %%f3;\n", "or.b32 %%r%1$u, %%r%2$u, %3$u;\n",
    };
    for (uint32_t i = 0; i < length; i++)
        fprintf(f, kinds[kind_of(mix, i)], i * 5 % REGISTERS, i * 3 % REGISTERS, i * 7919 + 13);
}

static char *kernel_text(enum straight_mix mix, uint32_t length)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    fprintf(f, ".version 7.0\n.target sm_60\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
               ".reg .pred %%p; .reg .b32 %%r<16>, %%n; .reg .f32 %%f<16>; .reg .b64 %%d;\n"
               "ld.param.u64 %%d, [out]; mov.u32 %%n, 0;\n");
    for (uint32_t r = 0; r < REGISTERS; r++)
        fprintf(f, "mov.u32 %%r%u, %u; mov.f32 %%f%u, 0f3F800000;\n", r, r, r);
    fprintf(f, "L:\n");
    print_body(f, mix, length);
    fprintf(f, "add.u32 %%n, %%n, 1; setp.lt.u32 %%p, %%n, %u; @%%p bra L;\n", INSTRUCTIONS / length);
    for (uint32_t r = 1; r < REGISTERS; r++)
        fprintf(f, "add.u32 %%r0, %%r0, %%r%u; add.f32 %%f0, %%f0, %%f%u;\n", r, r);
    fprintf(f, "st.global.u32 [%%d], %%r0; st.global.f32 [%%d+4], %%f0;\nret;\n}\n");
    bool whole = !ferror(f) && fclose(f) == 0;
    if (whole)
        return text;
    free(text);
    return NULL;
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The first launch also prepares the program: only the second counts. */
static bool run(struct rp_device *d, struct program *p, double *rate, struct rp_error *err)
{
    uint64_t out = rp_alloc(d, 64, "out", err);
    struct rp_launch_config config = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .params = &out, .threads = 1};
    struct rp_launch_result result;
    double start = 0;
    for (int i = 0; out && i < 2; i++) {
        start = cpu_seconds();
        if (!rp_launch_kernel(d, p, &config, &result, err))
            return false;
    }
    *rate = out ? (double)result.warp_instructions / (cpu_seconds() - start) : 0;
    return out;
}

bool straight_line_rate(enum straight_mix mix, uint32_t length, double *rate, struct rp_error *err)
{
    char *text = kernel_text(mix, length);
    if (!text)
        return rp_fail(err, RP_SYSTEM, "out of memory");
    struct module *m = ptx_load_text("straight_line.ptx", text, strlen(text), 0, err);
    free(text);
    struct rp_device *d = m ? rp_device_new(err) : NULL;
    if (m && !d)
        module_free(m);
    struct program *p = d && rp_device_adopt(d, m, err) ? module_find(m, NULL, err) : NULL;
    bool ok = p && run(d, p, rate, err);
    rp_device_free(d);
    return ok;
}
