/* The attributes of .nv.info that are read and written, by NVIDIA's names without EIATTR_ (cuobjdump -elf prints them).
 */
#ifndef REPRISE_FRONTEND_MODULE_CUBIN_ATTRIBUTES_H
#define REPRISE_FRONTEND_MODULE_CUBIN_ATTRIBUTES_H

enum cubin_attribute_number {
    MAX_THREADS = 0x05,
    PARAM_CBANK = 0x0a,
    EXTERNS = 0x0f,
    REQNTID = 0x10,
    FRAME_SIZE = 0x11,
    MIN_STACK_SIZE = 0x12,
    KPARAM_INFO = 0x17,
    CBANK_PARAM_SIZE = 0x19,
    MAXREG_COUNT = 0x1b,
    CRS_STACK_SIZE = 0x1e,
    REGCOUNT = 0x2f,
    BRANCH_TARGETS = 0x34,
    CUDA_API_VERSION = 0x37,
    CLUSTER = 0x3d,
    EXPLICIT_CLUSTER = 0x3e,
    MAX_CLUSTER = 0x3f,
    KPARAM_INFO_V2 = 0x45, /* where a kernel has more than 4 KB of parameters: the size has 16 bits of its own */
};

#endif
