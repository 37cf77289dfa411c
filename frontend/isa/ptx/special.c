#include "frontend/isa/ptx/special.h"

#include <stdio.h>
#include <string.h>

#include "frontend/isa/ptx/table.h"

/* The vector, followed by its members. */
#define XYZ(name, id, least)                                                                                           \
    {name, SPECIAL_VECTOR, PT_U32, 0, false, least}, {name ".x", SR_##id##_X, PT_U32, 0, false, least},                \
        {name ".y", SR_##id##_Y, PT_U32, 0, false, least}, {name ".z", SR_##id##_Z, PT_U32, 0, false, least},          \
    {                                                                                                                  \
        name ".w", SPECIAL_CONSTANT, PT_U32, 0, false, least                                                           \
    }
/* Some had 16 bits before PTX 2.0 (%gridid 16, then 32), and mov takes them so for ever: PTX ISA, "%tid", "%gridid". */
static const struct ptx_special specials[] = {
    XYZ("%tid", TID, 16),
    XYZ("%ntid", NTID, 16),
    XYZ("%ctaid", CTAID, 16),
    XYZ("%nctaid", NCTAID, 16),
    {"%laneid", SR_LANEID, PT_U32, 0, false, 0},
    {"%warpid", SR_WARPID, PT_U32, 0, false, 0},
    {"%nwarpid", SR_NWARPID, PT_U32, 0, false, 0},
    {"%smid", SR_SMID, PT_U32, 0, true, 0},
    {"%nsmid", SR_NSMID, PT_U32, 0, false, 0},
    {"%gridid", SR_GRIDID, PT_U64, 0, false, 16},
    {"%lanemask_eq", SR_LANEMASK_EQ, PT_U32, 0, false, 0},
    {"%lanemask_le", SR_LANEMASK_LE, PT_U32, 0, false, 0},
    {"%lanemask_lt", SR_LANEMASK_LT, PT_U32, 0, false, 0},
    {"%lanemask_ge", SR_LANEMASK_GE, PT_U32, 0, false, 0},
    {"%lanemask_gt", SR_LANEMASK_GT, PT_U32, 0, false, 0},
    {"%clock", SR_CLOCK, PT_U32, 0, true, 0},
    {"%clock_hi", SR_CLOCK_HI, PT_U32, 0, true, 0},
    {"%clock64", SR_CLOCK64, PT_U64, 0, true, 0},
    {"%globaltimer", SR_GLOBALTIMER, PT_U64, 0, true, 0},
    {"%globaltimer_lo", SR_GLOBALTIMER_LO, PT_U32, 0, true, 0},
    {"%globaltimer_hi", SR_GLOBALTIMER_HI, PT_U32, 0, true, 0},
    {"%dynamic_smem_size", SR_DYNAMIC_SMEM_SIZE, PT_U32, 0, false, 0},
    {"%total_smem_size", SR_TOTAL_SMEM_SIZE, PT_U32, 0, false, 0},
    {"%aggr_smem_size", SR_TOTAL_SMEM_SIZE, PT_U32, 0, false, 0},
    {"%is_explicit_cluster", SR_CLUSTER_EXPLICIT, PT_PRED, 0, false, 0},
    XYZ("%cluster_ctaid", CLUSTER_CTAID, 0),
    XYZ("%cluster_nctaid", CLUSTER_NCTAID, 0),
    XYZ("%clusterid", CLUSTERID, 0),
    XYZ("%nclusterid", NCLUSTERID, 0),
    {"%cluster_ctarank", SR_CLUSTER_RANK, PT_U32, 0, false, 0},
    {"%cluster_nctarank", SR_CLUSTER_BLOCKS, PT_U32, 0, false, 0},
    {"%reserved_smem_offset_cap", SPECIAL_CONSTANT, PT_U32, RESERVED_BYTES, false, 0},
    {"%current_graph_exec", SPECIAL_CONSTANT, PT_U64, 0, false, 0},
    /* performance counters and registers of the driver, which read as 0 */
    {"%pm", SPECIAL_CONSTANT, PT_U32, 0, false, 0},
    {"%pm_64", SPECIAL_CONSTANT, PT_U64, 0, false, 0},
    {"%envreg1", SR_WORKSPACE_HIGH, PT_B32, 0, false, 0},
    {"%envreg2", SR_WORKSPACE_LOW, PT_B32, 0, false, 0},
    {"%envreg", SPECIAL_CONSTANT, PT_B32, 0, false, 0},
};

/* The name in the table of a numbered register: %pm for %pm0 to %pm7, %pm_64, and %envreg for %envreg0 to %envreg31
 * but the two in which CUDA's driver passes the address of the workspace. Other names stay. */
static void without_number(char *name)
{
    unsigned number;
    int end = 0;
    if (sscanf(name, "%%pm%1u%n", &number, &end) == 1 && number < 8 && (!name[end] || !strcmp(name + end, "_64")))
        memmove(name + 3, name + end, strlen(name + end) + 1);
    else if (sscanf(name, "%%envreg%2u%n", &number, &end) == 1 && number < 32 && !name[end] && number != 1 &&
             number != 2)
        name[7] = 0;
    else if (!strcmp(name, "%pm") || !strcmp(name, "%pm_64") || !strcmp(name, "%envreg"))
        *name = 0;
}

int ptx_special_named(const char *name, uint32_t length, const char *member, uint32_t member_length)
{
    char text[48];
    int n = snprintf(text, sizeof text, member_length ? "%.*s.%.*s" : "%.*s", (int)(length < 40 ? length : 40), name,
                     (int)(member_length < 4 ? member_length : 4), member);
    without_number(text);
    for (unsigned i = 0; n > 0 && i < sizeof specials / sizeof *specials; i++)
        if (strcmp(text, specials[i].name) == 0)
            return (int)i;
    return -1;
}

const struct ptx_special *ptx_special(int index) { return &specials[index]; }
