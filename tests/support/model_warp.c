#include "tests/support/model_warp.h"

unsigned shuffle_source(enum shuffle mode, unsigned lane, unsigned b, unsigned c, bool *inside)
{
    unsigned clamp = c & 31, segment = c >> 8 & 31;
    int last = (int)((lane & segment) | (clamp & ~segment)), from;
    b &= 31;
    switch (mode) {
    case SHUFFLE_UP: from = (int)lane - (int)b; break;
    case SHUFFLE_DOWN: from = (int)(lane + b); break;
    case SHUFFLE_BFLY: from = (int)(lane ^ b); break;
    default: from = (int)((lane & segment) | (b & ~segment));
    }
    *inside = mode == SHUFFLE_UP ? from >= last : from <= last;
    return *inside ? (unsigned)from : lane;
}
