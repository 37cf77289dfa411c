# The start and the calls of RISC-V guests: see start.c.
    .option push
    .option norelax
    .text
    .globl _start, guest_call, guest_clone
    .type _start, @function
_start:
    la gp, __global_pointer$
    .option pop
    mv a0, sp
    call guest_start
    .size _start, . - _start

    .type guest_call, @function
guest_call:                     # number, a, b, c
    mv a7, a0
    mv a0, a1
    mv a1, a2
    mv a2, a3
    ecall
    ret
    .size guest_call, . - guest_call

    .type guest_clone, @function
guest_clone:                    # flags, stack
    li a2, 0
    li a3, 0
    li a4, 0
    li a7, 220
    ecall
    beqz a0, 1f
    ret
1:  call guest_thread
    .size guest_clone, . - guest_clone
