/* Events. */
#ifndef REPRISE_FRONTEND_CUDA_DRIVER_EVENT_H
#define REPRISE_FRONTEND_CUDA_DRIVER_EVENT_H

#include <time.h>

#include "frontend/cuda/driver/graph.h"

struct CUevent_st {
    uint32_t number; /* in the trace */
    int device;
    unsigned flags;
    bool recorded;
    struct timespec time;
    /* set by a stream that captures: the nodes that a waiting stream's next node must follow */
    unsigned long long capture; /* id of the capture; 0: none */
    CUgraphNode *nodes;
    size_t node_count;
};

#endif
