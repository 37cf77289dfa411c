/* Launches in clusters: which sizes are possible (CUDA C++ Programming Guide, "Thread Block Clusters"). */
#include "frontend/cuda/driver/driver.h"

enum { FIRST_CAPABILITY = 90, PORTABLE = 8, LARGEST = 16 };

static unsigned size_of(const struct launch *l)
{
    const uint32_t *required = l->function->program->required_cluster;
    if (l->cluster[0])
        return l->cluster[0] * l->cluster[1] * l->cluster[2];
    return required[0] ? required[0] * required[1] * required[2] : 1;
}

CUresult cluster_check(const struct launch *l)
{
    unsigned size = size_of(l);
    if (l->cluster[0])
        for (int i = 0; i < 3; i++)
            if (!l->cluster[i] || l->grid[i] % l->cluster[i])
                return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    bool there = size == 1 || figures()->capability >= FIRST_CAPABILITY;
    bool fits = size <= (l->function->large_clusters ? LARGEST : PORTABLE);
    return there && fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

/* Enters the driver for a query about a launch. */
static CUresult enter_launch(CUfunction function, const CUlaunchConfig *c, const void *result, struct launch *l)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    if (!handle_is(HANDLE_FUNCTION, function))
        return leave(CUDA_ERROR_INVALID_HANDLE);
    if (!c || !result || (c->numAttrs && !c->attrs))
        return leave(CUDA_ERROR_INVALID_VALUE);
    *l = (struct launch){.function = function,
                         .grid = {c->gridDimX, c->gridDimY, c->gridDimZ},
                         .block = {c->blockDimX, c->blockDimY, c->blockDimZ},
                         .shared = c->sharedMemBytes};
    launch_attributes(c, l);
    return CUDA_SUCCESS;
}

/* The number of resident clusters. Machines do not say how SMs are grouped, so any SMs can hold a cluster. */
CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config)
{
    struct launch l;
    CUresult r = enter_launch(function, config, clusters, &l);
    if (r)
        return r;
    if ((r = cluster_check(&l)))
        return leave(r);
    uint64_t threads = (uint64_t)l.block[0] * l.block[1] * l.block[2];
    unsigned blocks = threads <= 1024 ? occupancy(function, (unsigned)threads, l.shared) : 0;
    *clusters = (int)(blocks * figures()->sms / size_of(&l));
    return leave(CUDA_SUCCESS);
}

CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function, const CUlaunchConfig *config)
{
    struct launch l;
    CUresult r = enter_launch(function, config, size, &l);
    if (r)
        return r;
    *size = figures()->capability < FIRST_CAPABILITY ? 1 : function->large_clusters ? LARGEST : PORTABLE;
    return leave(CUDA_SUCCESS);
}
