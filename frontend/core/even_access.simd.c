/* Loads of whole warps from shared memory whose addresses are equal or neighbours: most accesses of kernels that work
 * on tiles. */
#include "frontend/core/access.h"

#include <string.h>

#include "frontend/operation/flags.h"

#define ALIASING __attribute__((may_alias))
#define LANES RP_WARP_LANES

typedef uint32_t ALIASING word;
typedef uint64_t ALIASING long_word;

/* even_BITS: whether it has made the access. */
#define EVEN(bits, type, width)                                                                                        \
    static inline __attribute__((always_inline)) bool even_##bits(struct warp *w, const struct uop *u, lanemask m)     \
    {                                                                                                                  \
        const struct warp_state *s = (const struct warp_state *)w;                                                     \
        const struct even_stride *e = &s->even[u->mode];                                                               \
        uint32_t at = *(const word *)operand_at(w, u->a) + (uint32_t)u->imm;                                           \
        uint64_t offset = at - e->base;                                                                                \
        if (__builtin_expect(m != ~(lanemask)0 || offset >= e->room[width] || at & (sizeof(type) - 1), 0))             \
            return false;                                                                                              \
        const uint8_t *from = e->host + offset;                                                                        \
        type *to = __builtin_assume_aligned(register_at(w, u->d), 64);                                                 \
        if (s->strides[u->mode]) {                                                                                     \
            memcpy(to, from, LANES * sizeof(type));                                                                    \
            return true;                                                                                               \
        }                                                                                                              \
        type value = *(const type *)from;                                                                              \
        for (int l = 0; l < LANES; l++)                                                                                \
            to[l] = value;                                                                                             \
        return true;                                                                                                   \
    }                                                                                                                  \
    void SIMD_NAME(load_even_##bits)(struct warp * w, const struct uop *u, lanemask m)                                 \
    {                                                                                                                  \
        if (!even_##bits(w, u, m))                                                                                     \
            access_shared(w, u, m);                                                                                    \
    }
EVEN(32, word, EVEN_4)
EVEN(64, long_word, EVEN_8)

/* Goes on as long as two more loads follow. */
void SIMD_NAME(load_even_two)(struct warp *w, const struct uop *u, lanemask m)
{
    const struct uop *next = u;
    do {
        if (!even_32(w, next, m))
            break;
        next++;
        if (!even_32(w, next, m))
            break;
        next++;
        if (next->kind == UOP_LANE && !(next->flags & UF_GUARDED)) {
            next->fn(w, next, m);
            next++;
        }
    } while (next->fn == SIMD_NAME(load_even_two));
    if (next == u)
        access_shared(w, next++, m);
    ((struct warp_state *)w)->also = (uint32_t)(next - u) - 1;
}
