/* Static libraries. */
#ifndef REPRISE_TOOLS_LIB_ARCHIVE_H
#define REPRISE_TOOLS_LIB_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefmt/error.h"

bool archive_is(const uint8_t *bytes, size_t size);
bool archive_is_thin(const uint8_t *bytes, size_t size); /* it only names its members (GNU ar, "ar --thin") */
/* Takes a member; the name is "LIBRARY(MEMBER)". False ends the visit, with an error. Name and bytes are valid during
 * the call. */
typedef bool archive_fn(void *data, const char *name, const uint8_t *bytes, size_t size, struct rp_error *);
/* Visits the members of a library with this content, in order. False: it cannot be read, or the function has failed. */
bool archive_visit(const char *file, const uint8_t *bytes, size_t size, archive_fn *, void *data, struct rp_error *);

#endif
