/* Files that the program needs beside itself: in the source tree of the build, beside an installed program, or in the
 * configured data folder. */
#ifndef REPRISE_TOOLS_DATA_FOLDER_H
#define REPRISE_TOOLS_DATA_FOLDER_H

#include <limits.h>
#include <stdbool.h>

#include "tracefmt/error.h"

/* The folder `name` of them ("cuda"), which is the one that has this file. */
bool data_folder_find(const char *name, const char *file, char folder[PATH_MAX], struct rp_error *);

#endif
