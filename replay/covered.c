#include "replay/covered.h"

#include <inttypes.h>

bool kernel_is_covered(const struct rp_kernel *k, struct rp_error *err)
{
    for (uint32_t i = 0; i < k->instruction_count; i++)
        for (uint32_t m = 0; m < k->instructions[i].memory_count; m++)
            if (rp_operand_aux_count(&k->instructions[i].memory[m]))
                return rp_fail(err, RP_BAD_INPUT,
                               "kernel %s, instruction %" PRIu32
                               " (%s): there is no timing model of bulk copies and barrier objects yet; "
                               "'reprise dump' shows what it did",
                               k->name, i, k->instructions[i].text);
    return true;
}
