/* The PTX of kernels.cu, as a text that ends in 0. */
    .section .rodata
    .global blas_kernels
    .hidden blas_kernels
    .type blas_kernels, @object
blas_kernels:
    .incbin BLAS_KERNELS
    .byte 0
    .size blas_kernels, . - blas_kernels
    .section .note.GNU-stack, "", @progbits
