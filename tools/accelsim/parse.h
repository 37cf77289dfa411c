/* Reads Accel-Sim's trace of a kernel: its header, blocks, warps and instructions, line by line.
 *
 *     file        = header { block }
 *     header      = lines "-key = value", then one that begins with "#traces format"
 *     block       = "#BEGIN_TB" "thread block = x,y,z" { warp } "#END_TB"
 *     warp        = "warp = w" "insts = n" n × instruction
 *     instruction = [x y z w] [line] pc mask ndst {register} opcode nsrc {register} width [addresses] {more}
 *     addresses   = 0 {address, one per active lane} | 1 base stride | 2 base {delta, one per active lane but the
 * first}
 *
 * pc, mask, addresses and bases are hexadecimal. [x y z w] up to version 2 of the tracer; [line] with "-enable lineinfo
 * = 1". The rest of the line (immediates, from version 4 on) is kept unchanged.
 */
#ifndef REPRISE_TOOLS_ACCELSIM_PARSE_H
#define REPRISE_TOOLS_ACCELSIM_PARSE_H

#include "tools/accelsim/source.h"
#include "tracefmt/trace.h"

#define ACCELSIM_REGISTERS 16

struct accelsim_header {
    char name[4096], nvbit[64];
    uint32_t grid[3], block[3], shared, registers, binary, tracer;
    uint64_t stream, shared_base, local_base;
    bool lines;
};

struct accelsim_instruction {
    uint64_t pc;
    rp_lanemask mask;
    uint32_t line, width, dst_count, src_count;
    rp_register dst[ACCELSIM_REGISTERS], src[ACCELSIM_REGISTERS];
    const char *opcode, *more; /* more: the rest of the line, mostly "" */
    bool bulk;                 /* a bulk copy: its addresses were not read */
    uint64_t address[RP_WARP_LANES];
    /* The line without mask and addresses, which is the same in all executions. Valid until the next line. */
    const char *fixed;
    size_t fixed_size;
};

/* Callbacks of a walk, in the order of the file. Each may be NULL. False ends the walk; err is filled. */
struct accelsim_visitor {
    bool (*header)(void *, const struct accelsim_header *, struct rp_error *);
    bool (*block)(void *, const uint32_t index[3], struct rp_error *);
    bool (*warp)(void *, uint32_t warp, struct rp_error *);
    bool (*instruction)(void *, const struct accelsim_instruction *, struct rp_error *);
    bool (*block_end)(void *, struct rp_error *);
};
/* Walks through a file. Errors name file and line. */
bool accelsim_walk(struct source *, const struct accelsim_visitor *, void *data, struct rp_error *);

/* Fails with file and line before the message. */
bool accelsim_fail(const struct source *, struct rp_error *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
