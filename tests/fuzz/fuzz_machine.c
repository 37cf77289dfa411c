/* The reader of machine files on arbitrary bytes: a machine, or one line that says what is wrong. */
#include <stdlib.h>
#include <string.h>

#include "replay/base/machine.h"
#include "replay/session/machine_open.h"
#include "tools/ui/nearest.h"

/* libconfig 1.5 loses its buffer when a file ends within a string; that is not what is looked for here. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libconfig\n"; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rp_error err = {0};
    struct machine_request request = {.name = "fuzz.cfg", .nearest = nearest_name};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    struct machine *m = machine_parse(&request, text, size, &err);
    if (!m && (!*err.text || strchr(err.text, '\n')))
        abort();
    machine_free(m);
    free(text);
    return 0;
}
