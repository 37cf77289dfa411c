/* The initiation interval of a matrix product: by shape and type where the machine gives the rate of its tensor cores
 * (`tensor.f16` and so on), else that of its class.
 *
 * A product of m x n x k takes m n k / rate cycles of a sub-core. A sparse one (PTX: .sp), whose k counts the zeros,
 * takes half of that. In a wgmma each of four warps does a quarter. m8n8k4 on f16 is four such products, one in each
 * quarter of the warp (PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16"). */
#ifndef REPRISE_REPLAY_BASE_TENSOR_RATE_H
#define REPRISE_REPLAY_BASE_TENSOR_RATE_H

#include "replay/base/machine.h"

/* Formats that have a rate of their own. F16: accumulated in f16; F32: f16 and bf16, accumulated in f32. */
enum tensor_format {
    TENSOR_F16,
    TENSOR_F32,
    TENSOR_TF32,
    TENSOR_F64,
    TENSOR_F8,
    TENSOR_S8,
    TENSOR_S4,
    TENSOR_B1,
    TENSOR_FORMATS
};

struct tensor_product {
    enum tensor_format format;
    uint64_t products; /* multiply-adds of a warp */
    bool group;        /* of four warps: wgmma */
};

/* Shape and format of a matrix product, from its text: PTX, or an opcode of machine code such as HMMA.16816.F32.BF16.
 * False: they do not follow from the text, as for the steps of Volta's HMMA.884. */
bool tensor_product_of(const char *text, struct tensor_product *);

/* Initiation interval of an instruction of class tensor with this text; `otherwise` where the machine has no rate for
 * it, or it is no product. */
uint32_t tensor_initiation(const struct machine *, const char *text, uint32_t otherwise);

#endif
