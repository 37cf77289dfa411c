"""Prints PTX for sm_90 whose machine code is the frame of the tests' own code (rig_cubin.c): a kernel k of more than 2,048
instructions with 24 bytes of parameters, local memory, and all barriers of a block."""

STORES = 2200

print(""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 buffer, .param .align 4 .b8 words[16])
{
.reg .b64 %d<3>; .reg .b32 %r<3>; .local .align 16 .b8 frame[1024];
ld.param.u64 %d0, [buffer]; ld.param.u32 %r0, [words]; ld.param.u32 %r2, [words+4];
mov.u64 %d1, frame; cvt.u64.u32 %d2, %r0; add.u64 %d2, %d1, %d2; st.local.u32 [%d2], %r0; ld.local.u32 %r1, [%d2+16];
barrier.sync %r2;""")
for i in range(STORES):
    print("st.volatile.global.u32 [%%d0+%d], %%r1;" % (4 * i))
print("ret;\n}")
