/* The flat form of a machine description: keys with dots, values as text, and where each came from. */
#ifndef REPRISE_REPLAY_BASE_MACHINE_SETTINGS_H
#define REPRISE_REPLAY_BASE_MACHINE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "tracefmt/error.h"

struct setting {
    char *key, *value;
    char *typed; /* the key as it was given, where `key` is longer; else NULL */
    const char *file;
    const char *option; /* NULL, or the option that gave it: "--set" */
    int line;           /* in the file; 0: given by an option */
    size_t number;      /* in the request */
    unsigned level;     /* a machine file's is higher than that of its base, and --set's is the highest */
    bool used;          /* by resolution */
};

#define SETTINGS_BASES 8 /* files in a chain of bases, at most */

struct settings {
    const char *file; /* for messages; what is added next comes from it, at `level` */
    unsigned level;
    struct setting *items;
    size_t count, capacity;
    char *paths[SETTINGS_BASES]; /* of bases, which items point to */
    size_t path_count;
};

bool settings_add(struct settings *, const char *key, const char *value, int line, struct rp_error *);
void settings_free(struct settings *);
/* Reads the text of a machine file. At most 1 MiB; no @include. */
bool settings_parse(struct settings *, const char *text, size_t size, struct rp_error *);
/* Takes an item out of the list; its texts are then the caller's. False: there is none with this key. */
bool settings_take(struct settings *, const char *key, struct setting *);
/* The highest level on which the key is given; -1: on none. */
int settings_level(const struct settings *, const char *key);
/* Appends all items of `from`, which is empty afterwards. */
bool settings_move(struct settings *to, struct settings *from, struct rp_error *);
/* "FILE:LINE: " or "--set KEY=VALUE: ", as it was given */
void settings_place(const struct setting *, char *out, size_t size);
/* Fails with one line: `place`, which names an option (`set`) or a line of a file, and the text. */
bool settings_fail(const char *place, bool set, const char *text, struct rp_error *);

/* PREFIX/share/reprise, with the PREFIX of the build or, in an installed library, of the installation. */
extern const char machine_data_folder[];

/* Path of a machine file by name; false with a message that lists or suggests machines. */
bool machine_find(const char *name, const char *(*nearest)(const char *, const char *const *, size_t), char path[4096],
                  struct rp_error *);

#endif
