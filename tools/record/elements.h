/* Types of a buffer's elements: as text, by numpy's names, and the distance of two values. */
#ifndef REPRISE_TOOLS_RECORD_ELEMENTS_H
#define REPRISE_TOOLS_RECORD_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum element {
    ELEMENT_UNKNOWN,
    ELEMENT_I8,
    ELEMENT_U8,
    ELEMENT_I16,
    ELEMENT_U16,
    ELEMENT_I32,
    ELEMENT_U32,
    ELEMENT_I64,
    ELEMENT_U64,
    ELEMENT_F16,
    ELEMENT_F32,
    ELEMENT_F64,
    ELEMENT_COUNT
};
#define ELEMENT_NAMES "i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64"

const char *element_name(enum element);
size_t element_width(enum element);
bool element_is_float(enum element);
/* "f32"; ELEMENT_UNKNOWN if there is no such type. */
enum element element_named(const char *name, size_t length);

/* numpy's name in little-endian files: "<f4". */
const char *element_numpy(enum element);
/* The inverse; "|b1" is u8. */
enum element element_of_numpy(const char *name, size_t length);

/* Writes an element as text, with enough digits to read it back: 0.100000001 as f32. */
void element_text(enum element, const void *at, char out[32]);
/* The inverse, rounded to the nearest value. False: the text is no such number, or is out of range. */
bool element_read(enum element, const char *text, void *to);
/* The value of a floating-point element. */
double element_value(enum element, const void *at);

/* The steps from one value to the other. Integers: their difference. Floats: the number of floats between them (units
 * in the last place). -0 equals 0. NaNs equal each other, and are UINT64_MAX from all other values. */
uint64_t element_steps(enum element, const void *a, const void *b);
/* |a - b|, and |b|, as doubles. */
double element_difference(enum element, const void *a, const void *b);
double element_magnitude(enum element, const void *at);

#endif
