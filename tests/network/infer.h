/* The network's kernels on images, run by the host API and compared with the CPU. */
#ifndef REPRISE_TESTS_NETWORK_INFER_H
#define REPRISE_TESTS_NETWORK_INFER_H

#include "model.h"

struct inference {
    const char *module; /* with the kernels of network.cu */
    bool wide;          /* double precision */
    const char *machine;
    const char *trace; /* NULL: none */
};

struct comparison {
    uint32_t images;
    uint32_t same_class; /* images that kernels and CPU put into the same class */
    uint32_t right;      /* images that the kernels put into the right class */
    uint64_t different;  /* outputs of dense layers that are not the CPU's, bit for bit */
    double difference;   /* the largest between a probability and the CPU's */
    uint64_t cycles[LAYERS + 1];
    uint64_t total_cycles;
    double microseconds; /* total_cycles on the machine */
};

bool infer(const struct inference *, const struct model *, const struct dataset *, struct comparison *,
           struct rp_error *);

#endif
