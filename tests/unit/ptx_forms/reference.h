/* What an instruction of PTX gives, from its spelling and its sources, one thread at a time: written from the text of
 * the PTX ISA, in integers of 128 bits, exact floating point on integers (tests/support/model_float.h), and long double
 * for approximations. It knows nothing of the lane handlers. */
#ifndef REPRISE_TESTS_PTX_FORMS_REFERENCE_H
#define REPRISE_TESTS_PTX_FORMS_REFERENCE_H

#include "frontend/isa/ptx/table.h"

struct call {
    const char *opcode;
    const struct ptx_modifiers *mods;
    uint64_t a, b, c, l; /* sources in the low bits, the others 0 */
    bool p;              /* the predicate source; of addc, subc and madc the carry */
    uint32_t imm;
};

/* d in the low bits. q: predicates, the second that behind the bar. */
struct answer {
    uint64_t d;
    bool q[2];
    bool any;  /* PTX leaves it open for these sources */
    bool near; /* d is a float: within `bound` of `exact`, relative or absolute */
    bool relative;
    long double exact, bound;
};

enum verdict {
    NO_MODEL,
    NOT_PTX, /* modifiers or types that do not go together */
    ANSWERED
};
enum verdict reference(const struct call *, struct answer *);

/* Whether d is what the answer says. */
bool answer_holds(const struct call *, const struct answer *, uint64_t d);

/* What one number in memory becomes by an atomic operation (enum rp_atomic). `flushes`: sums of f32 flush subnormals,
 * as in global memory. NO_MODEL: the type has no such operation. */
enum verdict reference_atomic(int op, enum ptx_type, bool flushes, uint64_t old, uint64_t b, uint64_t c,
                              uint64_t *value);

/* ---- shared by the files of the reference ---- */

struct format;
const struct format *format_named(enum ptx_type t); /* of f16 .. f64, of a pair that of its halves */
bool is_pair_type(enum ptx_type t);
static inline int64_t signed_of(uint64_t x, unsigned bits) { return (int64_t)(x << (64 - bits)) >> (64 - bits); }
static inline uint64_t low_bits(uint64_t x, unsigned bits) { return bits < 64 ? x & ((1ull << bits) - 1) : x; }
static inline unsigned bits_of(enum ptx_type t) { return ptx_types[t].bits; }
static inline bool is_float_type(enum ptx_type t) { return ptx_types[t].kind == 'F'; }
static inline bool is_signed_type(enum ptx_type t) { return ptx_types[t].kind == 'S'; }
static inline bool has(const struct call *c, enum ptx_modifier m) { return mods_have(c->mods, m); }
static inline enum ptx_type type_of(const struct call *c, unsigned i) { return (enum ptx_type)c->mods->types[i]; }
int rounding_of(const struct call *);
/* .ftz on a value of a format: subnormals of f32 and f16. */
uint64_t without_subnormals(const struct format *, uint64_t x);
uint64_t clamped_to_one(const struct format *, uint64_t x);
long double value_of(const struct format *, uint64_t x);

enum verdict reference_integer(const struct call *, struct answer *);
enum verdict reference_float(const struct call *, struct answer *);
enum verdict reference_compare(const struct call *, struct answer *);
enum verdict reference_convert(const struct call *, struct answer *);
enum verdict reference_video(const struct call *, struct answer *);

#endif
