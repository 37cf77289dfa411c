/* Input files that are something else than what is wanted, or that are not there. */
#ifndef REPRISE_TOOLS_LIB_INPUT_H
#define REPRISE_TOOLS_LIB_INPUT_H

#include "tracefmt/error.h"

enum input {
    INPUT_OTHER,
    INPUT_TRACE,
    INPUT_PTX,
    INPUT_CODE,
    INPUT_CUDA,
    INPUT_LAUNCH_FILE,
    INPUT_MACHINE,
    INPUT_NPY,
    INPUT_KERNELS_LIST
};

/* What the file looks like, from its first bytes; INPUT_OTHER also for what is no regular file. INPUT_CODE is an ELF
 * file or a fat binary. */
enum input input_kind(const char *path);

/* False, with RP_BAD_INPUT: the file is clearly something else than what is wanted, and is named for what it is; it is
 * a folder; or it is not there, but one of a similar name is. INPUT_PTX stands for any module, INPUT_CODE for machine
 * code only, INPUT_KERNELS_LIST for the list of Accel-Sim, which no file looks like. All else is left to whoever reads
 * the file. */
bool input_check(const char *path, enum input wanted, struct rp_error *);

#endif
