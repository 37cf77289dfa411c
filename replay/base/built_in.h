/* The machine files of hw-models/machines as bytes of the program, so that a copy of the program alone knows them. */
#ifndef REPRISE_REPLAY_BASE_BUILT_IN_H
#define REPRISE_REPLAY_BASE_BUILT_IN_H

#include <stdbool.h>
#include <stddef.h>

#include "tracefmt/error.h"

/* What the path of a built-in file begins with; the file's name follows: "built-in:jetson-tx2.cfg". */
#define BUILT_IN "built-in:"

/* The name of machine number i, "jetson-tx2", in alphabetical order; NULL: there are fewer. */
const char *built_in_name(size_t i);

/* Reads a machine file, built-in or not: config_text_read() of a path. */
char *machine_file_read(const char *path, size_t *size, struct rp_error *);

#endif
