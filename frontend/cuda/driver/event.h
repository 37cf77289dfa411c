/* Events. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_EVENT_H
#define REPRISE_FRONTEND_CUDA_DRIVER_EVENT_H

#include <time.h>

#include "frontend/cuda/driver/graph.h"

struct CUevent_st {
    uint32_t number; /* in the trace */
    unsigned flags;
    bool recorded;
    struct timespec time;
    /* where it was recorded by a stream that captures: what whoever waits for it comes after */
    unsigned long long capture; /* id; 0: it was not */
    CUgraphNode *nodes;
    size_t node_count;
};

#endif
