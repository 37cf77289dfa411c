/* JSON as all commands print it. */
#ifndef REPRISE_TOOLS_JSON_H
#define REPRISE_TOOLS_JSON_H

#include <jansson.h>
#include <stdint.h>

json_t *json_number(uint64_t);
/* Puts the value, which goes with it, at the end of a list or into an object; NULL is an error of json_finish. */
void json_add(json_t *list, json_t *);
void json_put(json_t *object, const char *key, json_t *);
/* Prints and releases; returns the exit status. NULL, which jansson gives for text that is not UTF-8, is an error. */
int json_finish(json_t *);

#endif
