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

@ Division for clang, which has no library.
#ifdef __clang__
    .macro begin name
    .weak \name
    .type \name, %function
\name:
    .endm
    begin __aeabi_uidiv
    begin __aeabi_uidivmod
divide:                         @ r0 / r1: the quotient to r0, the remainder to r1; a quotient by 0 is 0
    mov r3, r0
    movs r2, r1
    mov r0, #0
    mov r1, r3
    it eq
    bxeq lr
    push {r4, lr}
    clz r3, r1
    clz r4, r2
    subs r4, r4, r3             @ how much further up the divisor may be
    it mi
    popmi {r4, pc}
    lsl r2, r2, r4
1:  cmp r1, r2
    it hs
    subhs r1, r1, r2
    adc r0, r0, r0
    lsr r2, r2, #1
    subs r4, r4, #1
    bpl 1b
    pop {r4, pc}
    .size __aeabi_uidiv, . - __aeabi_uidiv
    .size __aeabi_uidivmod, . - __aeabi_uidivmod

    begin __aeabi_idiv
    begin __aeabi_idivmod
    push {r4, r5, r6, lr}
    mov r4, r0                  @ the sign of the remainder
    eor r5, r0, r1              @ and of the quotient
    cmp r0, #0
    it mi
    rsbmi r0, r0, #0
    cmp r1, #0
    it mi
    rsbmi r1, r1, #0
    bl divide
    cmp r5, #0
    it mi
    rsbmi r0, r0, #0
    cmp r4, #0
    it mi
    rsbmi r1, r1, #0
    pop {r4, r5, r6, pc}
    .size __aeabi_idiv, . - __aeabi_idiv
    .size __aeabi_idivmod, . - __aeabi_idivmod
#endif
    .section .note.GNU-stack, "", %progbits
