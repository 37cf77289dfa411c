#include "replay/base/class_timing.h"

#include <string.h>

#include "replay/base/tensor_rate.h"

/* The opcode of an instruction: its text up to the first point, behind a guard. */
static const char *opcode_of(const char *text, size_t *length)
{
    if (*text == '@') { /* a guard */
        text += strcspn(text, " \t");
        text += strspn(text, " \t");
    }
    *length = strcspn(text, ". \t;");
    return text;
}

static bool is_one_of(const char *const *opcodes, const char *text)
{
    size_t length;
    const char *opcode = opcode_of(text, &length);
    while (*opcodes && (strlen(*opcodes) != length || strncmp(*opcodes, opcode, length)))
        opcodes++;
    return *opcodes;
}

bool is_fp32_compare(const char *text)
{
    /* FMNMX3 has three operands (compute capability 10.0). */
    static const char *const compares[] = {"FSETP", "FSET", "FCMP", "FMNMX", "FMNMX3",
                                           "setp",  "set",  "min",  "max",   NULL};
    return is_one_of(compares, text);
}

struct machine_timing class_timing(const struct machine *m, const struct rp_instruction *in)
{
    struct machine_timing t = m->classes[in->unit_class];
    if (!in->text)
        return t;
    if (in->unit_class == RP_CLASS_TENSOR)
        t.initiation = tensor_initiation(m, in->text, t.initiation);
    else if (in->unit_class == RP_CLASS_FP32 && m->fp32_compare == FP32_COMPARE_INT && is_fp32_compare(in->text))
        t = m->classes[RP_CLASS_INT];
    return t;
}

struct machine_timing space_timing(const struct machine *m, const struct rp_instruction *in, unsigned space)
{
    static const char *const loads[] = {"LDC", NULL};
    if (space != RP_SPACE_CONST || !m->ldc_latency || !in->text || !is_one_of(loads, in->text))
        return m->spaces[space];
    struct machine_timing t = m->spaces[RP_SPACE_SHARED];
    t.latency = (uint32_t)m->ldc_latency;
    return t;
}
