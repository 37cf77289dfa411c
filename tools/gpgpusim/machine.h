/* A configuration of GPGPU-Sim or Accel-Sim as a machine file with a staged pipeline. */
#ifndef REPRISE_TOOLS_GPGPUSIM_MACHINE_H
#define REPRISE_TOOLS_GPGPUSIM_MACHINE_H

#include <stdio.h>

#include "tools/gpgpusim/options.h"

struct gpgpusim_import {
    const char *const *files; /* gpgpusim.config, and after it trace.config for latencies in trace mode, or not */
    size_t file_count;
    const char *output; /* the machine file; named in messages */
    FILE *warnings;     /* where to say, a line each, which options are not known, and which values are not supported;
                         * NULL: nowhere */
    unsigned unknown, unsupported; /* options that were said */
};

/* Makes the text of a machine file, which the caller frees; each value has its option in a comment. It reads back: what
 * would not is an error. NULL: err says why, with file and line of the option. */
char *gpgpusim_machine(struct gpgpusim_import *, struct rp_error *);

#endif
