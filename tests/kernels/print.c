/* Case of print.cu; size: blocks. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/kernel_case.h"

#define THREADS 32

static void setup(struct kernel_session *s)
{
    static const char text[] = "caf\xc3\xa9";
    int buffer = session_data(s, "text", text, sizeof text);
    session_launch(s, "print", DIM(s->size), DIM(THREADS), 0);
    arg_buffer(s, buffer);
    arg_f32(s, 0.3f);
}

static void expected(struct kernel_session *s, FILE *to)
{
    float f = 0.3f;
    for (int i = 0; i < (int)s->size * THREADS; i++) {
        if (i % 16 != 5)
            continue;
        fprintf(to, "thread %d of block %u: %5d|%-5d|%05d|%+d|%x|%#X|%o\n", i % THREADS, (unsigned)(i / THREADS), i, i,
                i, i, (unsigned)i * 77, (unsigned)i * 77, (unsigned)i);
        fprintf(to, "%lld %llu %c %s %% %f %.3e %g %10.4f|\n", (long long)i << 40, 1ull << 63 | (unsigned)i,
                'a' + i % 26, "caf\xc3\xa9", (double)f, (double)(f * (float)i), 1.0 / (i + 1), -(double)i);
    }
}

/* The instructions that lanes of one warp execute together come out lane by lane, so lines of lanes 5 and 21 of a warp
 * alternate: both first lines, then both second ones. */
static void check(struct kernel_session *s)
{
    char *want = NULL;
    size_t bytes;
    FILE *to = open_memstream(&want, &bytes);
    if (!to) {
        session_fail(s, "no memory");
        return;
    }
    expected(s, to);
    fclose(to);
    const char *line[4], *at = want, *got = s->printed;
    for (uint32_t warp = 0; warp < s->size && !s->failed; warp++) {
        for (int i = 0; i < 4; i++, at = strchr(at, '\n') + 1)
            line[i] = at;
        for (int i = 0; i < 4; i++) {
            const char *next = line[(int[]){0, 2, 1, 3}[i]];
            size_t length = (size_t)(strchr(next, '\n') + 1 - next);
            if (strncmp(got, next, length))
                session_fail(s, "printed \"%.*s\", expected \"%.*s\"", (int)strcspn(got, "\n"), got, (int)length - 1,
                             next);
            got += strnlen(got, length);
        }
    }
    if (*got)
        session_fail(s, "printed more than expected: \"%s\"", got);
    free(want);
}

const struct kernel_case case_print = {"print", "print", 2, 16, setup, check};
