@ The start and the calls of ARM guests, in A32 or T32 as the compiler is asked: see start.c.
    .syntax unified
    .text
    .balign 4
    .globl _start, guest_call, guest_clone
    .type _start, %function
_start:
    mov r0, sp
    bl guest_start
    .size _start, . - _start

    .type guest_call, %function
guest_call:                     @ number, a, b, c
    push {r7, lr}
    mov r7, r0
    mov r0, r1
    mov r1, r2
    mov r2, r3
    svc 0
    pop {r7, pc}
    .size guest_call, . - guest_call

    .type guest_clone, %function
guest_clone:                    @ flags, stack
    push {r4, r7, lr}
    mov r2, #0
    mov r3, #0
    mov r4, #0
    mov r7, #120
    svc 0
    cmp r0, #0
    beq 1f
    pop {r4, r7, pc}
1:  bl guest_thread
    .size guest_clone, . - guest_clone

    .weak raise                 @ a division by zero, of libgcc: the quotient is 0
    .type raise, %function
raise:
    mov r0, #0
    bx lr
    .size raise, . - raise
    .section .note.GNU-stack, "", %progbits
