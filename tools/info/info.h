/* Prints what is in a trace: modules, kernels, launches, operations of the host, counts. */
#ifndef REPRISE_TOOLS_INFO_INFO_H
#define REPRISE_TOOLS_INFO_INFO_H

#include "tools/lib/json.h"
#include "tracefmt/reader.h"

struct info_request {
    const char *file; /* as it was given */
    struct rp_trace *trace;
    bool mix; /* instructions by class, too: the whole trace is decoded */
};

/* Print the contents, and return the exit status. JSON is an element of the document's list "traces". CSV has a row
 * per launch, and a heading if `heading`. */
int info_print(const struct info_request *);
int info_print_json(const struct info_request *, struct json_stream *);
int info_print_csv(const struct info_request *, bool heading);

#endif
