/* What tests of the device share. */
#ifndef REPRISE_TESTS_DEVICE_COMMON_H
#define REPRISE_TESTS_DEVICE_COMMON_H

#include <criterion/criterion.h>

#include "frontend/host/launch.h"
#include "tracefmt/reader.h"

/* Each ends the test on failure. */
struct rp_device *new_device(void);
/* A module from what follows .version, .target and .address_size in PTX. */
struct module *load_text(struct rp_device *, const char *name, const char *body);
/* Launches the only kernel of the module with up to four 64-bit parameters. */
struct rp_launch_config config_of(uint32_t grid, uint32_t block, const uint64_t *params);
struct rp_launch_result launch(struct rp_device *, struct module *, const struct rp_launch_config *);

/* A trace in a file of its own, removed by end_trace, which gives the file's bytes and checks that it is whole. */
struct test_trace {
    char path[40];
    struct rp_writer *writer;
    uint8_t *bytes;
    size_t size;
    struct rp_trace *trace;
};
void begin_trace(struct test_trace *);
void end_trace(struct test_trace *);
void free_trace(struct test_trace *);

/* Every thread stores `value` at word %tid.x + %ctaid.x * %ntid.x of parameter 0. */
#define STORES(value)                                                                                                  \
    ".visible .entry stores(.param .u64 to)\n{\n"                                                                      \
    ".reg .b32 %r<6>; .reg .b64 %rd<4>;\n"                                                                             \
    "ld.param.u64 %rd1, [to]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"                     \
    "mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd1, %rd2;\n"                            \
    "mov.u32 %r5, " value "; st.global.u32 [%rd3], %r5; ret;\n}\n"

#endif
