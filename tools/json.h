/* JSON as all commands print it. */
#ifndef REPRISE_TOOLS_JSON_H
#define REPRISE_TOOLS_JSON_H

#include <jansson.h>
#include <stdint.h>

json_t *json_number(uint64_t);
/* Prints and releases; returns the exit status. NULL, which jansson gives for text that is not UTF-8, is an error. */
int json_finish(json_t *);

#endif
