/* The table of TLBs and instruction caches: entries in sets and ways, each valid from some cycle on. */
#ifndef REPRISE_HW_MODELS_REPLACEMENT_SETS_H
#define REPRISE_HW_MODELS_REPLACEMENT_SETS_H

#include "hw-models/replacement/replacement.h"

struct set_entry {
    uint64_t tag;   /* number + 1; 0: empty */
    uint64_t ready; /* the first cycle in which it is there; the owner sets it */
};

struct set_table {
    struct replacement replacement;
    uint64_t clock;
    struct set_entry *entries; /* [sets][ways]; each set is filled from its lowest way on */
};

/* Bytes of the memory that a table needs; `policy` is the value of option `replacement`. */
size_t set_table_size(int64_t policy, uint64_t sets, uint32_t ways);
void set_table_begin(struct set_table *, void *memory, int64_t policy, uint64_t sets, uint32_t ways);
/* Returns the entry for this number. *hit: it was there. Else it replaces another, and its `ready` is 0. */
struct set_entry *set_table_look_up(struct set_table *, uint64_t set, uint64_t number, bool *hit);

#endif
