#include "replay/base/built_in.h"

#include <stdlib.h>
#include <string.h>

#include "replay/base/config_text.h"

/* make writes a line MACHINE(number, name, file) for each file of hw-models/machines. */
#define MACHINE(number, name, file)                                                                                    \
    __asm__(".pushsection .rodata\n"                                                                                   \
            ".global built_in_machine_" #number ", built_in_machine_end_" #number "\n"                                 \
            ".hidden built_in_machine_" #number ", built_in_machine_end_" #number "\n"                                 \
            "built_in_machine_" #number ": .incbin \"" file "\"\n"                                                     \
            "built_in_machine_end_" #number ": .byte 0\n"                                                              \
            ".popsection");                                                                                            \
    extern const char built_in_machine_##number[], built_in_machine_end_##number[];
#include "replay/base/built_in_machines.h"
#undef MACHINE

static const struct {
    const char *name, *begin, *end;
} machines[] = {
#define MACHINE(number, name, file) {name, built_in_machine_##number, built_in_machine_end_##number},
#include "replay/base/built_in_machines.h"
#undef MACHINE
    {NULL, NULL, NULL},
};

const char *built_in_name(size_t i) { return i < sizeof machines / sizeof *machines ? machines[i].name : NULL; }

char *machine_file_read(const char *path, size_t *size, struct rp_error *err)
{
    size_t prefix = strlen(BUILT_IN), n = strlen(path), suffix = strlen(".cfg"), i = 0;
    if (strncmp(path, BUILT_IN, prefix) || n < prefix + suffix)
        return config_text_read(path, size, err);
    n -= prefix + suffix;
    while (machines[i].name && (strlen(machines[i].name) != n || strncmp(machines[i].name, path + prefix, n)))
        i++;
    if (!machines[i].name)
        return config_text_read(path, size, err);
    *size = (size_t)(machines[i].end - machines[i].begin);
    char *text = malloc(*size + 1);
    if (text)
        memcpy(text, machines[i].begin, *size + 1);
    else
        rp_fail(err, RP_SYSTEM, "%s: out of memory", path);
    return text;
}
