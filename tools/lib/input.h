/* Recognises input files of the wrong kind, and names of files that do not exist. */
#ifndef REPRISE_TOOLS_LIB_INPUT_H
#define REPRISE_TOOLS_LIB_INPUT_H

#include "tracefmt/error.h"

enum input {
    INPUT_OTHER,
    INPUT_TRACE,
    INPUT_PTX,
    INPUT_CODE,
    INPUT_LISTING,
    INPUT_CUDA,
    INPUT_LAUNCH_FILE,
    INPUT_MACHINE,
    INPUT_NPY,
    INPUT_DATABASE,
    INPUT_KERNELS_LIST
};

/* Guesses the kind from the file's first bytes. INPUT_OTHER: no regular file, or none of these. INPUT_CODE is an ELF
 * file or a fat binary, INPUT_LISTING machine code as text. */
enum input input_kind(const char *path);
/* "a trace" */
const char *input_name(enum input);

/* False with RP_BAD_INPUT: the file is of another kind than `wanted`, which the message names; or it is a folder; or it
 * does not exist, but a file with a similar name does. INPUT_PTX stands for any module, INPUT_CODE for machine code
 * only, INPUT_OTHER for any file, INPUT_KERNELS_LIST for the list of Accel-Sim, which has no recognisable beginning.
 * All else is left to the reader of the file. */
bool input_check(const char *path, enum input wanted, struct rp_error *);

#endif
