/* Prints what is in a trace: modules, kernels, launches, operations of the host, counts. */
#ifndef REPRISE_TOOLS_INFO_INFO_H
#define REPRISE_TOOLS_INFO_INFO_H

#include "tracefmt/reader.h"

struct info_request {
    const char *file; /* as it was given */
    struct rp_trace *trace;
    bool mix; /* instructions by class, too: the whole trace is decoded */
};

/* Print the contents, and return the exit status. CSV has a row per launch. */
int info_print(const struct info_request *);
int info_print_json(const struct info_request *);
int info_print_csv(const struct info_request *);

#endif
