# The start and the calls of IA-32 guests: see start.c.
    .text
    .globl _start, guest_call, guest_clone
    .type _start, @function
_start:
    xorl %ebp, %ebp
    movl %esp, %eax
    subl $12, %esp              # a multiple of 16 before each call
    pushl %eax
    call guest_start
    .size _start, . - _start

    .type guest_call, @function
guest_call:                     # number, a, b, c
    pushl %ebx
    movl 8(%esp), %eax
    movl 12(%esp), %ebx
    movl 16(%esp), %ecx
    movl 20(%esp), %edx
    int $0x80
    popl %ebx
    ret
    .size guest_call, . - guest_call

    .type guest_clone, @function
guest_clone:                    # flags, stack
    pushl %ebx
    pushl %esi
    pushl %edi
    movl $120, %eax
    movl 16(%esp), %ebx
    movl 20(%esp), %ecx
    xorl %edx, %edx
    xorl %esi, %esi
    xorl %edi, %edi
    int $0x80
    testl %eax, %eax
    je 1f
    popl %edi
    popl %esi
    popl %ebx
    ret
1:  xorl %ebp, %ebp
    call guest_thread
    .size guest_clone, . - guest_clone
    .section .note.GNU-stack, "", @progbits
