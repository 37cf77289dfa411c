/* The parts of a machine for which a model is chosen, and the rows of its options. */
#ifndef REPRISE_REPLAY_BASE_MACHINE_PARTS_H
#define REPRISE_REPLAY_BASE_MACHINE_PARTS_H

#include "replay/base/machine.h"
#include "replay/base/option_text.h"

struct machine_slot {
    const char *key;
    enum model_kind kind;
    size_t at; /* offset of the struct machine_part in struct machine */
};
#define MACHINE_SLOTS 13
extern const struct machine_slot machine_slots[MACHINE_SLOTS];

/* Slots first, then the machine's units. */
struct machine_part *machine_part_of(struct machine *, size_t index, enum model_kind *kind, char key[40]);
static inline size_t machine_part_count(const struct machine *m) { return MACHINE_SLOTS + m->unit_count; }

extern const struct model_option machine_option_rows[];
extern const size_t machine_option_count;
/* Whether a machine of this kind has the option of this row. */
bool machine_kind_has(int64_t kind, size_t row);
/* Whether a machine of this kind has the part. The others are there, but nothing uses them. */
bool machine_kind_has_slot(int64_t kind, size_t slot);
struct machine_alias {
    const char *old, *key;
};
extern const struct machine_alias machine_aliases[];
extern const size_t machine_alias_count;
/* What replaces this key, which was removed; NULL: there never was such a key. */
const char *machine_former_key(const char *old);
struct option_place machine_option_place(struct machine *, size_t row);
struct option_place machine_part_place(struct machine_part *, size_t row);

/* The value of the option with this key; `otherwise` if the model of the part has no such option. */
int64_t machine_part_value(const struct machine_part *, const char *key, int64_t otherwise);

/* The resolved machine as text: without the options of the device, and these alone. NULL: out of memory. */
char *machine_text(struct machine *);
char *machine_device_text(struct machine *);

/* Whether the class or space has a row with unit and times. Memory instructions use the row of their space, generic
 * accesses that of the space that they access. */
static inline bool machine_class_has_row(unsigned c) { return c != RP_CLASS_MEMORY; }
static inline bool machine_space_has_row(unsigned s) { return s != RP_SPACE_NONE && s != RP_SPACE_GENERIC; }

#endif
