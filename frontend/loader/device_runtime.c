#include "frontend/loader/device_runtime.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "frontend/core/device_call.h"

/* The handle is the workspace's address; 0 in launches that are not cooperative, where synchronising returns
 * cudaErrorUnknown, as NVIDIA's function does. The word at offset 4 of the workspace is a counter: the first block adds
 * what makes the top bit flip once each of the other blocks has added 1. */
#define HEADER ".version 3.1\n.target sm_30\n.address_size 64\n"
#define GRID_BARRIER                                                                                                   \
    "\
.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)\n\
{\n\
    .reg .pred %p; .reg .b32 %low, %high, %scope; .reg .b64 %at;\n\
    ld.param.u32 %scope, [scope];\n\
    mov.u32 %high, %envreg1;\n\
    mov.u32 %low, %envreg2;\n\
    mov.b64 %at, {%low, %high};\n\
    setp.ne.u32 %p, %scope, 1;\n\
    @%p mov.b64 %at, 0;\n\
    st.param.b64 [handle], %at;\n\
    ret;\n\
}\n\
.visible .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)\n\
{\n\
    .reg .pred %none, %not_first, %wait; .reg .b32 %x, %y, %z, %sum, %all, %old, %now; .reg .b64 %at;\n\
    ld.param.u64 %at, [handle];\n\
    setp.eq.u64 %none, %at, 0;\n\
    mov.u32 %sum, 999;\n\
    @%none bra DONE;\n\
    bar.sync 0;\n\
    mov.u32 %x, %tid.x;\n\
    mov.u32 %y, %tid.y;\n\
    mov.u32 %z, %tid.z;\n\
    or.b32 %x, %x, %y;\n\
    or.b32 %x, %x, %z;\n\
    setp.ne.u32 %not_first, %x, 0;\n\
    @%not_first bra ALL;\n\
    mov.u32 %x, %nctaid.x;\n\
    mov.u32 %y, %nctaid.y;\n\
    mov.u32 %z, %nctaid.z;\n\
    mul.lo.u32 %all, %x, %y;\n\
    mul.lo.u32 %all, %all, %z;\n\
    sub.u32 %all, 0x80000001, %all;\n\
    mov.u32 %x, %ctaid.x;\n\
    mov.u32 %y, %ctaid.y;\n\
    mov.u32 %z, %ctaid.z;\n\
    or.b32 %x, %x, %y;\n\
    or.b32 %x, %x, %z;\n\
    setp.eq.u32 %wait, %x, 0;\n\
    selp.b32 %sum, %all, 1, %wait;\n\
    membar.gl;\n\
    atom.add.u32 %old, [%at+4], %sum;\n\
AGAIN:\n\
    ld.volatile.u32 %now, [%at+4];\n\
    xor.b32 %now, %now, %old;\n\
    setp.ge.s32 %wait, %now, 0;\n\
    @%wait bra AGAIN;\n\
    membar.gl;\n\
ALL:\n\
    bar.sync 0;\n\
    mov.u32 %sum, 0;\n\
DONE:\n\
    st.param.b32 [error], %sum;\n\
    ret;\n\
}\n"
/* A handle is the address of the condition. */
#define CONDITION                                                                                                      \
    "\
.visible .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value)\n\
{\n\
    .reg .b32 %value; .reg .b64 %at;\n\
    ld.param.u64 %at, [handle];\n\
    ld.param.u32 %value, [value];\n\
    st.u32 [%at], %value;\n\
    ret;\n\
}\n"

/* What libcudadevrt asks of the driver, for dynamic parallelism. Its PTX is with the program; launches and errors are
 * calls of the engine (frontend/core/device_call.h), as __reprise_ask is: it puts a question (enum device_question),
 * with a number of the driver's for an error. */
#define ASK                                                                                                            \
    "\
.extern .func (.param .b64 value, .param .b32 error) __reprise_ask\
 (.param .b32 what, .param .b64 of, .param .b64 with, .param .b64 more);\n"
#define SYSCALL(name, parameters, body)                                                                                \
    ASK "\
.visible .func (.param .b32 error) __cuda_syscall_cnpv2" name "(.param .b64 at" parameters ")\n\
{\n\
    .reg .pred %bad; .reg .b32 %e, %w; .reg .b64 %at, %value, %of, %with, %more;\n\
    mov.b32 %e, 0;\n\
    mov.b64 %of, 0;\n\
    mov.b64 %with, 0;\n\
    mov.b64 %more, 0;\n\
    ld.param.u64 %at, [at];\n" body "\
    st.param.b32 [error], %e;\n\
    ret;\n\
}\n"
#define PARAMETER(type, name, to) "    ld.param." type " " to ", [" name "];\n"
#define QUESTION(what, type)                                                                                           \
    "\
    call (%value, %e), __reprise_ask, (" what ", %of, %with, %more);\n\
    setp.ne.u32 %bad, %e, 0;\n\
    @!%bad st." type " [%at], %value;\n"
/* Launches in the style of cudaLaunchDevice, which is told the kernel only after the parameters were stored, as those
 * of the other style: with a copy of the parameters. */
#define BUFFER                                                                                                         \
    "\
.extern .func (.param .b64 address) malloc(.param .b64 size);\n\
.visible .func (.param .b64 address) __cuda_syscall_cnpv2GetParameterBuffer(.param .b32 alignment, .param .b32 size)\n\
{\n\
    .reg .b64 %size, %at;\n\
    ld.param.u32 %size, [size];\n\
    max.u64 %size, %size, 1;\n\
    call (%at), malloc, (%size);\n\
    st.param.b64 [address], %at;\n\
    ret;\n\
}\n"
#define LAUNCH                                                                                                         \
    ASK "\
.extern .func free(.param .b64 at);\n\
.extern .func (.param .b64 at) __cuda_syscall_cnpv2GetParameterBufferV2(.param .b64 kernel,\
 .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared);\n\
.extern .func (.param .b32 error) __cuda_syscall_cnpv2LaunchDeviceV2(.param .b64 at, .param .b64 stream);\n\
.visible .func (.param .b32 error) __cuda_syscall_cnpv2LaunchDevice(.param .b64 kernel, .param .b64 from,\
 .param .b64 grid, .param .b64 block, .param .b32 shared, .param .b64 stream)\n\
{\n\
    .reg .pred %p; .reg .b16 %byte; .reg .b32 %e, %w, %shared;\n\
    .reg .b64 %kernel, %from, %at, %bytes, %to, %stream, %source;\n\
    .param .align 4 .b8 of_grid[12]; .param .align 4 .b8 of_block[12];\n\
    ld.param.u64 %at, [grid];\n\
    ld.u32 %w, [%at];\n\
    st.param.b32 [of_grid], %w;\n\
    ld.u32 %w, [%at+4];\n\
    st.param.b32 [of_grid+4], %w;\n\
    ld.u32 %w, [%at+8];\n\
    st.param.b32 [of_grid+8], %w;\n\
    ld.param.u64 %at, [block];\n\
    ld.u32 %w, [%at];\n\
    st.param.b32 [of_block], %w;\n\
    ld.u32 %w, [%at+4];\n\
    st.param.b32 [of_block+4], %w;\n\
    ld.u32 %w, [%at+8];\n\
    st.param.b32 [of_block+8], %w;\n\
    ld.param.u64 %kernel, [kernel];\n\
    ld.param.u32 %shared, [shared];\n\
    ld.param.u64 %from, [from];\n\
    ld.param.u64 %stream, [stream];\n\
    mov.b64 %at, 0;\n\
    call (%to), __cuda_syscall_cnpv2GetParameterBufferV2, (%kernel, of_grid, of_block, %shared);\n\
    setp.eq.u64 %p, %to, 0;\n\
    mov.b32 %e, 6;\n\
    @%p bra DONE;\n\
    call (%bytes, %e), __reprise_ask, (7, %kernel, %at, %at);\n\
    add.u64 %bytes, %bytes, %to;\n\
    mov.b64 %at, %to;\n\
    mov.b64 %source, %from;\n\
AGAIN:\n\
    setp.ge.u64 %p, %at, %bytes;\n\
    @%p bra COPIED;\n\
    ld.u8 %byte, [%source];\n\
    st.u8 [%at], %byte;\n\
    add.u64 %source, %source, 1;\n\
    add.u64 %at, %at, 1;\n\
    bra AGAIN;\n\
COPIED:\n\
    call (%e), __cuda_syscall_cnpv2LaunchDeviceV2, (%to, %stream);\n\
DONE:\n\
    call free, (%from);\n\
    st.param.b32 [error], %e;\n\
    ret;\n\
}\n"
static_assert(ASK_HANDLE == 0 && ASK_DEVICE == 1 && ASK_DEVICES == 2 && ASK_ATTRIBUTE == 3 && ASK_LIMIT == 4 &&
                  ASK_FUNCTION == 5 && ASK_OCCUPANCY == 6 && ASK_PARAMETERS == 7,
              "the texts have these numbers");
/* Launches run in the order of calls, so events need not do anything. */
static const struct provided {
    const char *name, *text;
} provided[] = {
    {"cudaCGGetIntrinsicHandle", GRID_BARRIER},
    {"cudaGraphSetConditional", CONDITION},
    {"__cuda_syscall_cnpv2GetParameterBuffer", BUFFER},
    {"__cuda_syscall_cnpv2LaunchDevice", LAUNCH},
    {"__cuda_syscall_cnpv2StreamCreate", SYSCALL("StreamCreate", ", .param .b32 flags", QUESTION("0", "u64"))},
    {"__cuda_syscall_cnpv2StreamDestroy", SYSCALL("StreamDestroy", "", "")},
    {"__cuda_syscall_cnpv2StreamWaitEvent", SYSCALL("StreamWaitEvent", ", .param .b64 event, .param .b32 flags", "")},
    {"__cuda_syscall_cnpv2EventCreate", SYSCALL("EventCreate", ", .param .b32 flags", QUESTION("0", "u64"))},
    {"__cuda_syscall_cnpv2EventRecord", SYSCALL("EventRecord", ", .param .b64 stream", "")},
    {"__cuda_syscall_cnpv2EventDestroy", SYSCALL("EventDestroy", "", "")},
    {"__cuda_syscall_cnpv2GetDevice", SYSCALL("GetDevice", "", QUESTION("1", "u32"))},
    {"__cuda_syscall_cnpv2GetDeviceCount", SYSCALL("GetDeviceCount", "", QUESTION("2", "u32"))},
    {"__cuda_syscall_cnpv2DeviceGetAttribute",
     SYSCALL("DeviceGetAttribute", ", .param .b32 attribute, .param .b32 device",
             PARAMETER("u32", "attribute", "%of") PARAMETER("u32", "device", "%with") QUESTION("3", "u32"))},
    {"__cuda_syscall_cnpv2GetLimit",
     SYSCALL("GetLimit", ", .param .b32 limit", PARAMETER("u32", "limit", "%of") QUESTION("4", "u64"))},
    {"__cuda_syscall_cnpv2FuncGetAttribute",
     SYSCALL("FuncGetAttribute", ", .param .b32 attribute, .param .b64 kernel",
             PARAMETER("u32", "attribute", "%of") PARAMETER("u64", "kernel", "%with") QUESTION("5", "u32"))},
    {"__cuda_syscall_cnpv2MaxActiveBlocksPerMultiprocessor",
     SYSCALL("MaxActiveBlocksPerMultiprocessor", ", .param .b64 kernel, .param .b32 threads, .param .b64 shared",
             PARAMETER("u64", "kernel", "%of") PARAMETER("u32", "threads", "%with") PARAMETER("u64", "shared", "%more")
                 QUESTION("6", "u32"))},
    {"__cuda_syscall_cnpv2MaxActiveBlocksPerMultiprocessorWithFlags",
     SYSCALL("MaxActiveBlocksPerMultiprocessorWithFlags",
             ", .param .b64 kernel, .param .b32 threads, .param .b64 shared, .param .b32 flags",
             PARAMETER("u64", "kernel", "%of") PARAMETER("u32", "threads", "%with") PARAMETER("u64", "shared", "%more")
                 QUESTION("6", "u32"))},
    {"__cuda_syscall_cnpv2GetCacheConfig", SYSCALL("GetCacheConfig", "", "    st.u32 [%at], %e;\n")},
    {"__cuda_syscall_cnpv2GetSharedMemConfig", SYSCALL("GetSharedMemConfig", "", "    st.u32 [%at], %e;\n")},
};

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%'; }

/* Whether the name, as a whole word, is in [text, end). */
static bool has_name(const char *text, const char *end, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = memmem(at, (size_t)(end - at), name, length)); at += length)
        if (at + length == end || !is_name(at[length]))
            return true;
    return false;
}

/* Whether the line of a `.visible .func` defines `name`. */
static bool is_defined(const char *text, const char *end, const char *name)
{
    static const char begins[] = "\n.visible .func";
    for (const char *at = text; (at = memmem(at, (size_t)(end - at), begins, sizeof begins - 1)); at++) {
        const char *next = memchr(at + 1, '\n', (size_t)(end - at - 1));
        if (has_name(at, next ? next : end, name))
            return true;
    }
    return false;
}

/* Whether the text declares the function and does not define it. */
static bool is_wanted(const char *text, const char *end, const char *name)
{
    return has_name(text, end, name) && !is_defined(text, end, name);
}

bool device_runtime(const void *text, size_t size, struct ptx_pieces *to)
{
    static const char declares[] = ".extern .func", begin[] = HEADER;
    const char *end = (const char *)text + size;
    bool any = false, ok = true;
    if (size <= 4 || !memcmp(text, "\177ELF", 4) || !memmem(text, size, declares, sizeof declares - 1))
        return true;
    for (size_t i = 0; i < sizeof provided / sizeof *provided && ok; i++) {
        const struct provided *p = &provided[i];
        if (!is_wanted(text, end, p->name))
            continue;
        ok = (any || pieces_add(to, begin, sizeof begin)) && pieces_add(to, p->text, strlen(p->text));
        any = true;
    }
    return ok;
}
