/* The importer of GPGPU-Sim's configurations on arbitrary bytes: a machine file that reads back, or one line that says
 * what is wrong. The reader takes files, so each input is one in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "replay/base/machine.h"
#include "replay/session/machine_open.h"
#include "tools/gpgpusim/machine.h"

/* libconfig 1.5 loses its buffer when a file ends within a string; that is not what is looked for here. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libconfig\n"; }

static void import(const char *path)
{
    struct rp_error err = {0};
    const char *const files[] = {path};
    struct gpgpusim_import job = {.files = files, .file_count = 1, .output = "fuzz.cfg"};
    char *text = gpgpusim_machine(&job, &err);
    if (!text && (!*err.text || strchr(err.text, '\n')))
        abort();
    struct machine_request request = {.name = "fuzz.cfg"};
    struct machine *m = text ? machine_parse(&request, text, strlen(text), &err) : NULL;
    if (text && !m)
        abort();
    machine_free(m);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[40];
    int fd = memfd_create("gpgpusim.config", 0);
    if (fd < 0)
        return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (write(fd, data, size) == (ssize_t)size)
        import(path);
    close(fd);
    return 0;
}
