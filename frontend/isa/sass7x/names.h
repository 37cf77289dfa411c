/* Names of special registers, as NVIDIA's disassembler spells them. NULL: printed as SR<number>. */
#ifndef REPRISE_FRONTEND_ISA_SASS7X_NAMES_H
#define REPRISE_FRONTEND_ISA_SASS7X_NAMES_H

/* From the architecture on that ends the name. */
extern const char *const sass7x_special_70[256], *const sass7x_special_75[256], *const sass7x_special_80[256],
                                                                                    *const sass7x_special_90[256];

#endif
