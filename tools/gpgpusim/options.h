/* Configuration files of GPGPU-Sim and Accel-Sim: options and their values.
 *
 * An option is a word that begins with "-" and a letter; one word follows as its value, or a text in quotes, which may
 * span several lines and whose blanks are dropped. "#" begins a comment that ends with its line. If an option is
 * given several times, in one file or several, the last value counts.
 */
#ifndef REPRISE_TOOLS_GPGPUSIM_OPTIONS_H
#define REPRISE_TOOLS_GPGPUSIM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefmt/error.h"

struct gpgpusim_option {
    char *name, *value;
    const char *file;
    unsigned line;
    bool used;
};

struct gpgpusim_options {
    struct gpgpusim_option *list;
    size_t count, room;
};

/* Adds the options of a file. `path` must outlive them. RP_BAD_INPUT, with file and line, or RP_SYSTEM. */
bool gpgpusim_options_read(struct gpgpusim_options *, const char *path, struct rp_error *);
void gpgpusim_options_free(struct gpgpusim_options *);

/* The option with its last value, marked as used. NULL: it is not given. */
struct gpgpusim_option *gpgpusim_option_find(struct gpgpusim_options *, const char *name);

/* RP_BAD_INPUT: "FILE:LINE: NAME VALUE: " and the text, printf-like. Returns false. */
bool gpgpusim_option_fail(const struct gpgpusim_option *, struct rp_error *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
