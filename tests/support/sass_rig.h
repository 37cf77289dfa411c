/* Programs in machine code, written as text: assembled, put into a cubin that is made here, loaded and run like any
 * other. So a test of one instruction goes through assembler, loader, decoder, lowering and execution. */
#ifndef REPRISE_TESTS_SUPPORT_SASS_RIG_H
#define REPRISE_TESTS_SUPPORT_SASS_RIG_H

#include "frontend/host/launch.h"

/* One instruction a line, without semicolon; "name:" is a label, which <name> in an operand stands for; a line "0x..."
 * is a word as it is. The kernel is called k; where parameters begin (c[0x0][0x140] up to sm_62, cubin_parameters()) is
 * the address of the rig's buffer (64 bits), and behind it four words that each launch chooses. */
struct sass_rig {
    struct rp_device *device;
    struct program *program;
    uint64_t address;
    void *buffer;
    struct rp_launch_config config;
    struct rp_launch_result result;
    struct rp_error err;
};

/* A cubin's bytes, to be freed. Ends the test when the text cannot be assembled. */
uint8_t *sass_cubin(unsigned sm, const char *text, bool relocatable, size_t *size);
/* The words of the text, one for each instruction or two from sm_70 on, at most `size`; returns how many instructions
 * it has. Ends the test like
 * sass_cubin(). */
unsigned sass_words(unsigned sm, const char *text, uint64_t *words, unsigned size);
/* Whether a target has an instruction. */
bool sass_has(unsigned sm, const char *line);
/* The address of a label in the text, which is for sm_50 to sm_62; of one for this target. */
uint32_t sass_label(const char *text, const char *name);
uint32_t sass_label_of(unsigned sm, const char *text, const char *name);
/* Loads and lowers; false with the error in rig->err, and still to be closed. */
bool sass_rig_load(struct sass_rig *, unsigned sm, const char *text, size_t bytes);
/* The same, but ends the test on failure. */
void sass_rig_open(struct sass_rig *, unsigned sm, const char *text, size_t bytes);
bool sass_rig_run(struct sass_rig *, uint32_t grid, uint32_t block, const uint32_t words[4]);
void sass_rig_close(struct sass_rig *);

#endif
