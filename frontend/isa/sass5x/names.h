/* Names of the values of fields, as NVIDIA's disassembler prints them. */
#ifndef REPRISE_FRONTEND_ISA_SASS5X_NAMES_H
#define REPRISE_FRONTEND_ISA_SASS5X_NAMES_H

extern const char *const sass_special_names[256]; /* NULL: printed as SR<number> */
extern const char *const sass_cc_names[32];
extern const char *const sass_components_one[8], *const sass_components_two[8];
extern const char *const sass_part_byte[4], *const sass_part_half[4];
extern const char *const sass_video_types[16];

#endif
