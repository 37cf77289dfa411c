#include "frontend/isa/ptx/special.h"

#include <stdio.h>
#include <string.h>

#include "frontend/isa/ptx/table.h"

/* The vector, followed by its members. */
#define XYZ(name, id)                                                                                                  \
    {name, SPECIAL_VECTOR, PT_U32, 0, false}, {name ".x", SR_##id##_X, PT_U32, 0, false},                              \
        {name ".y", SR_##id##_Y, PT_U32, 0, false}, {name ".z", SR_##id##_Z, PT_U32, 0, false},                        \
    {                                                                                                                  \
        name ".w", SPECIAL_CONSTANT, PT_U32, 0, false                                                                  \
    }
static const struct ptx_special specials[] = {
    XYZ("%tid", TID),
    XYZ("%ntid", NTID),
    XYZ("%ctaid", CTAID),
    XYZ("%nctaid", NCTAID),
    {"%laneid", SR_LANEID, PT_U32, 0, false},
    {"%warpid", SR_WARPID, PT_U32, 0, false},
    {"%nwarpid", SR_NWARPID, PT_U32, 0, false},
    {"%smid", SR_SMID, PT_U32, 0, true},
    {"%nsmid", SR_NSMID, PT_U32, 0, false},
    {"%gridid", SR_GRIDID, PT_U64, 0, false},
    {"%lanemask_eq", SR_LANEMASK_EQ, PT_U32, 0, false},
    {"%lanemask_le", SR_LANEMASK_LE, PT_U32, 0, false},
    {"%lanemask_lt", SR_LANEMASK_LT, PT_U32, 0, false},
    {"%lanemask_ge", SR_LANEMASK_GE, PT_U32, 0, false},
    {"%lanemask_gt", SR_LANEMASK_GT, PT_U32, 0, false},
    {"%clock", SR_CLOCK, PT_U32, 0, true},
    {"%clock_hi", SR_CLOCK_HI, PT_U32, 0, true},
    {"%clock64", SR_CLOCK64, PT_U64, 0, true},
    {"%globaltimer", SR_GLOBALTIMER, PT_U64, 0, true},
    {"%globaltimer_lo", SR_GLOBALTIMER_LO, PT_U32, 0, true},
    {"%globaltimer_hi", SR_GLOBALTIMER_HI, PT_U32, 0, true},
    {"%dynamic_smem_size", SR_DYNAMIC_SMEM_SIZE, PT_U32, 0, false},
    {"%total_smem_size", SR_TOTAL_SMEM_SIZE, PT_U32, 0, false},
    {"%aggr_smem_size", SR_TOTAL_SMEM_SIZE, PT_U32, 0, false},
    {"%is_explicit_cluster", SR_CLUSTER_EXPLICIT, PT_PRED, 0, false},
    XYZ("%cluster_ctaid", CLUSTER_CTAID),
    XYZ("%cluster_nctaid", CLUSTER_NCTAID),
    XYZ("%clusterid", CLUSTERID),
    XYZ("%nclusterid", NCLUSTERID),
    {"%cluster_ctarank", SR_CLUSTER_RANK, PT_U32, 0, false},
    {"%cluster_nctarank", SR_CLUSTER_BLOCKS, PT_U32, 0, false},
    {"%current_graph_exec", SPECIAL_CONSTANT, PT_U64, 0, false},
    /* performance counters and registers of the driver, which read as 0 */
    {"%pm", SPECIAL_CONSTANT, PT_U64, 0, false},
    {"%envreg1", SR_WORKSPACE_HIGH, PT_B32, 0, false},
    {"%envreg2", SR_WORKSPACE_LOW, PT_B32, 0, false},
    {"%envreg", SPECIAL_CONSTANT, PT_B32, 0, false},
};

/* Whether it is %envreg1 or %envreg2, in which CUDA's driver passes the address of the workspace; the others are 0. */
static bool is_workspace(const char *name, uint32_t length)
{
    return length == 8 && (name[7] == '1' || name[7] == '2');
}

int ptx_special_named(const char *name, uint32_t length, const char *member, uint32_t member_length)
{
    char text[48];
    bool numbered = (length > 3 && memcmp(name, "%pm", 3) == 0 && name[3] >= '0' && name[3] <= '9') ||
                    (length > 7 && memcmp(name, "%envreg", 7) == 0 && !is_workspace(name, length));
    if (numbered)
        length = name[1] == 'p' ? 3 : 7;
    int n = snprintf(text, sizeof text, member_length ? "%.*s.%.*s" : "%.*s", (int)(length < 40 ? length : 40), name,
                     (int)(member_length < 4 ? member_length : 4), member);
    for (unsigned i = 0; n > 0 && i < sizeof specials / sizeof *specials; i++)
        if (strcmp(text, specials[i].name) == 0)
            return (int)i;
    return -1;
}

const struct ptx_special *ptx_special(int index) { return &specials[index]; }
