/* The import of Accel-Sim's traces on arbitrary bytes. The first byte says what they are: the list of kernels, a kernel
 * as text, or a packed one. It becomes a trace that verifies, or one line says what is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/accelsim/import.h"
#include "tracefmt/reader.h"

static char folder[] = "/tmp/reprise-accelsim-XXXXXX", list[64], text[64], packed[64], output[64];

static void put(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f))
        __builtin_trap();
}

static void sweep(void)
{
    unlink(list);
    unlink(text);
    unlink(packed);
    unlink(output);
    rmdir(folder);
}

static void prepare(void)
{
    static bool prepared;
    if (prepared)
        return;
    prepared = true;
    if (!mkdtemp(folder))
        __builtin_trap();
    snprintf(list, sizeof list, "%s/kernelslist.g", folder);
    snprintf(text, sizeof text, "%s/kernel-1.traceg", folder);
    snprintf(packed, sizeof packed, "%s/kernel-1.tracez", folder);
    snprintf(output, sizeof output, "%s/o.wtr", folder);
    atexit(sweep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const entries[] = {"kernel-1.traceg\n", "kernel-1.tracez\n"};
    struct rp_error err = {0};
    if (!size)
        return 0;
    prepare();
    unsigned kind = data[0] % 3;
    if (kind < 2)
        put(list, entries[kind], strlen(entries[kind]));
    put(kind == 2 ? list : kind == 1 ? packed : text, data + 1, size - 1);
    struct accelsim_import job = {.list = list, .output = output, .quiet = true};
    if (!accelsim_import(&job, &err)) {
        if (!*err.text || strchr(err.text, '\n'))
            abort();
        return 0;
    }
    struct rp_trace *t = rp_trace_open(output, &err);
    if (!t || !rp_trace_verify(t, NULL, NULL, &err)) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    rp_trace_close(t);
    return 0;
}
