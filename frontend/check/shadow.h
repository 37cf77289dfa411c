/* Registers and predicates of a warp whose bits nobody has written: a shadow of the register stack. Only the files of
 * check that follow such bits (shadow.c, undefined_memory.c, undefined.c) include this. */
#ifndef REPRISE_FRONTEND_CHECK_SHADOW_H
#define REPRISE_FRONTEND_CHECK_SHADOW_H

#include "frontend/check/internal.h"

enum { GRANULE = 64 }; /* registers begin at multiples of it */
enum { WIDEST = 8, REGISTER_BYTES = 2 * WIDEST * RP_WARP_LANES, REGISTER_WORDS = REGISTER_BYTES / 4 };

struct granule {
    uint32_t start;   /* 1 + the index of the first granule of the undefined register here; 0: none */
    uint8_t element;  /* bytes of a lane; this and what follows: of a register's first granule */
    lanemask changed; /* lanes in which undefined bits have been combined with others within a byte */
    uint32_t origin[RP_WARP_LANES];
};
/* A predicate that is undefined in some lanes. */
struct predicate {
    size_t at;
    lanemask lanes;
    uint32_t origin[RP_WARP_LANES];
};
struct undefined {
    uint8_t *bits; /* as the register stack; 1: undefined */
    struct granule *granules;
    size_t bytes;
    uint32_t live; /* registers with undefined bits, and predicates */
    uint32_t predicate_count, predicate_room;
    struct predicate *predicates;
};

struct undefined *undefined_of(const struct checked_block *, const struct warp_state *);
size_t register_place(const struct warp_state *, struct operand);
/* The register that begins there, if it has undefined bits; or NULL. */
struct granule *undefined_register(const struct undefined *, size_t at);
uint8_t *bits_of_lane(const struct undefined *, const struct granule *, unsigned lane);
bool any_bits(const uint8_t *bits, size_t bytes);
/* The lanes of an array of elements in which some bits are set; `whole`: in which all are. */
lanemask lanes_of(const void *bits, unsigned element, bool whole);
/* The lanes in which a register has undefined bits, or in which all of its bits are undefined. */
lanemask undefined_lanes(const struct undefined *, const struct granule *, bool whole);
/* The lanes of a register are defined from now on. */
void define_lanes(struct undefined *, struct warp_state *, struct granule *, lanemask);
/* The predicate at a place; NULL: it is defined in all lanes. */
struct predicate *undefined_predicate(const struct undefined *, size_t at);
/* The lanes of the predicate get other values. A register there was one of another time. */
void define_predicate(struct undefined *, struct warp_state *, struct operand, lanemask);
/* The lanes of the register get other values, of `element` bytes. */
void overwrite(struct undefined *, struct warp_state *, struct operand, unsigned element, lanemask);
/* The predicate, or the register, at the operand, to be undefined in some lanes. NULL: out of memory. */
struct predicate *make_undefined_predicate(struct checked_block *, struct warp_state *, struct operand);
struct granule *make_undefined(struct checked_block *, struct warp_state *, struct operand, unsigned element);

/* undefined_memory.c: an element of an access: its register, and its bytes in memory and there. */
struct element {
    struct operand o;
    unsigned at, bytes, room;
    bool sign;
};
unsigned access_elements(const struct uop *);
struct element access_element(const struct uop *, unsigned i);

#endif
