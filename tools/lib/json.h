/* JSON as all commands print it. */
#ifndef REPRISE_TOOLS_LIB_JSON_H
#define REPRISE_TOOLS_LIB_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

json_t *json_number(uint64_t);
/* Puts the value, which goes with it, at the end of a list or into an object; NULL is an error of json_finish.
 * json_join puts all members of another object into one. */
void json_add(json_t *list, json_t *);
void json_put(json_t *object, const char *key, json_t *);
void json_join(json_t *object, json_t *members);
/* Prints and releases; returns the exit status. NULL, which jansson gives for text that is not UTF-8, is an error. */
int json_finish(json_t *);

/* A document that is printed part by part, as json_finish prints the whole: for lists that are too long to be kept. */
struct json_stream {
    unsigned depth;
    bool follows; /* something stands before in the same list or object */
    bool failed;
};
/* Opens and closes a list or an object; bracket: [ ] { }. key: NULL in a list, and for the document itself. */
void json_open(struct json_stream *, const char *key, char bracket);
void json_close(struct json_stream *, char bracket);
/* Prints a value and releases it. Once a part was NULL, or memory ran out, nothing more is printed. */
void json_part(struct json_stream *, const char *key, json_t *value);
/* After the last bracket; returns the exit status. */
int json_stream_end(struct json_stream *);

#endif
