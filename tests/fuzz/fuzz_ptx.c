/* libFuzzer target: any bytes as a PTX module, and every kernel of it lowered. */
#include <stddef.h>
#include <stdint.h>

#include "frontend/core/program.h"
#include "tracefmt/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rp_error err;
    struct module *m = ptx_load_text("fuzz.ptx", (const char *)data, size, 0, &err);
    for (uint32_t i = 0; m && i < m->program_count; i++)
        module_find(m, m->programs[i].name, &err);
    module_free(m);
    return 0;
}
