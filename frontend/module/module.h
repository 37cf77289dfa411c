/* What the loaders of all kinds of modules share. A loader allocates a struct that begins with struct loaded_module,
 * fills in the module with its programs' names, and lowers a program when it is first asked for. */
#ifndef REPRISE_FRONTEND_MODULE_MODULE_H
#define REPRISE_FRONTEND_MODULE_MODULE_H

#include "frontend/core/program.h"
#include "frontend/module/arena.h"
#include "tracefmt/error.h"

struct loaded_module {
    struct module module; /* owner is this struct, which module_free gives to free() after the arena */
    struct arena arena;
    /* Fills in *program, of which only the name is there so far. */
    bool (*lower)(struct loaded_module *, struct program *, struct rp_error *);
    void (*release)(struct loaded_module *); /* what is not in the arena; may be NULL */
};

/* Sets path, file_name (the path's last part), sha256, identity and owner. */
void module_begin(struct loaded_module *, const char *path, const void *content, size_t size);

/* The whole file with a NUL behind it, by malloc; NULL and an error if it cannot be read or is too large. */
char *module_read_file(const char *path, size_t *size, struct rp_error *);

#endif
