#include "tools/hazards/distance.h"

#include <string.h>

#include "replay/base/tensor_rate.h"

/* Where the text of an instruction names what it does: behind its guard. */
static const char *operation(const struct rp_instruction *in)
{
    const char *text = in->text ? in->text : "";
    if (*text == '@')
        text += strcspn(text, " ");
    return text + strspn(text, " ");
}

static bool begins(const char *text, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(text, name, n) && (text[n] == ' ' || text[n] == '.');
}

/* What a barrier tells when it has read, or written: it reads its general registers later than others. */
static bool reads_late(const struct rp_instruction *in)
{
    return in->memory_count || rp_control_write_barrier(in->control) < RP_CONTROL_BARRIERS ||
           rp_control_read_barrier(in->control) < RP_CONTROL_BARRIERS;
}

/* The bits of one factor that a product multiplies decide: f16 of m16n8k8 and s8 of m16n8k16 take the same. */
static uint32_t of_product(const char *text, bool late)
{
    static const uint32_t bits[TENSOR_FORMATS] = {
        [TENSOR_F16] = 16, [TENSOR_F32] = 16, [TENSOR_TF32] = 32, [TENSOR_F8] = 8,
        [TENSOR_S8] = 8,   [TENSOR_S4] = 4,   [TENSOR_B1] = 1};
    enum { M8_K128 = 8 * 8 * 128, M16_K128 = 2 * M8_K128, M16_K256 = 2 * M16_K128 };
    struct tensor_product p;
    if (!tensor_product_of(text, &p) || p.group)
        return 0;
    switch (p.products * bits[p.format]) {
    case M8_K128: return late ? 12 : 13;
    case M16_K128: return late ? 14 : 16;
    case M16_K256: return late ? 22 : 24;
    default: return 0;
    }
}

uint32_t distance_of(unsigned capability, const struct rp_instruction *writer, const struct rp_instruction *reader)
{
    static const char *const halves[] = {"HADD2", "HFMA2", "HMUL2", "HMNMX2", "HSET2", "HSETP2", "VHMNMX"};
    const char *text = operation(writer);
    if (begins(text, "I2I")) /* into 8 or 16 bits, with saturation: no conversion for its timing */
        return capability >= 75 && capability <= 90 ? 4 : 0;
    if (capability < 80 || capability > 90)
        return 0;
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
        if (begins(text, halves[i]))
            return 4;
    return writer->unit_class == RP_CLASS_TENSOR ? of_product(text, reads_late(reader)) : 0;
}
