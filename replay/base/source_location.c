#include "replay/base/source_location.h"

#include <inttypes.h>
#include <stdio.h>

void instruction_location(const struct rp_kernel *k, uint32_t index, char text[LOCATION_BYTES])
{
    const struct rp_instruction *in = &k->instructions[index];
    int n = snprintf(text, LOCATION_BYTES, "instruction %" PRIu32 " (%.60s) of kernel %.60s", index, in->text, k->name);
    if (n > 0 && n < LOCATION_BYTES && in->line && in->file < k->file_count)
        snprintf(text + n, (size_t)(LOCATION_BYTES - n), ", %.80s:%" PRIu32, k->files[in->file], in->line);
}
