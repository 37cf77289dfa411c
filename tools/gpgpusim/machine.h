/* Converts a configuration of GPGPU-Sim or Accel-Sim to a machine file with a staged pipeline. */
#ifndef REPRISE_TOOLS_GPGPUSIM_MACHINE_H
#define REPRISE_TOOLS_GPGPUSIM_MACHINE_H

#include <stdio.h>

#include "tools/gpgpusim/options.h"

struct gpgpusim_import {
    const char *const
        *files; /* gpgpusim.config, optionally followed by trace.config with the latencies of trace mode */
    size_t file_count;
    const char *output;            /* the path of the machine file, for messages */
    FILE *warnings;                /* gets a line for each unknown option or unsupported value; NULL: none */
    unsigned unknown, unsupported; /* options that were reported */
};

/* Makes the text of a machine file, which the caller frees; each value has its option in a comment. NULL: an option is
 * not valid, or the machine file could not be read back; err names file and line of the option. */
char *gpgpusim_machine(struct gpgpusim_import *, struct rp_error *);

#endif
