/* NVIDIA's assembler ptxas, which makes machine code of PTX. It is no part of Reprise; the first one that takes the PTX
 * and the architecture is used of
 *
 *  1. $REPRISE_PTXAS, and then no other
 *  2. PATH
 *  3. $CUDA_HOME/bin, $CUDA_PATH/bin, /usr/local/cuda/bin
 *  4. the wheels nvidia-cuda-nvcc* of the active Python: that of $VIRTUAL_ENV, $CONDA_PREFIX, this process, or python3
 *     in PATH
 *  5. Triton in the same places
 *  6. what `make toolchain` fetched into the build folder
 *
 * Results are kept in $XDG_CACHE_HOME/reprise/ptxas, or ~/.cache/reprise/ptxas, by the PTX, the options and the ptxas
 * (path, size, time of change). A folder that cannot be written is no error.
 */
#ifndef REPRISE_FRONTEND_LOADER_PTXAS_H
#define REPRISE_FRONTEND_LOADER_PTXAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefmt/error.h"

enum ptxas_result {
    PTXAS_MADE,
    PTXAS_REFUSED, /* there are errors in the PTX */
    PTXAS_FAILED,  /* RP_SYSTEM: its files cannot be written, as on a full disk, or there is no memory; another ptxas
                      would fare no better */
    PTXAS_NONE /* no ptxas is there, or none that takes this version of PTX and this architecture, or no nvlink beside
                  it for several modules; or the PTX is for a later one */
};

/* Assembles a module of PTX for an architecture, such as "sm_86"; "sm_90" stands for "sm_90a" where the PTX does.
 * Modules that follow one another, each with a .version, are assembled and joined by the nvlink beside ptxas. Lines of
 * the source stay known; PTX of a debug build is assembled without optimisation, as by nvcc. `name` is the module's in
 * errors. On success the caller frees *code; else the error names ptxas's reason, or how to get a ptxas. Any number of
 * threads and processes may call it. */
enum ptxas_result ptxas_assemble(const char *name, const char *text, size_t size, const char *sm, uint8_t **code,
                                 size_t *code_size, struct rp_error *);

/* The process is going to end by a signal. ptxas_stop(): ptxas is killed, and ptxas_assemble() returns PTXAS_NONE soon,
 * now and later. ptxas_abandon() is for handlers of signals: ptxas is killed and its files are
 * removed, and ptxas_assemble() does not return any more. Where nobody handles the signal, that is done here. */
void ptxas_stop(void);
bool ptxas_stopped(void);
void ptxas_abandon(void);

/* The paths in the order above, NULL after the last one; they are looked for once in a process. */
const char *const *ptxas_found(void);

#endif
