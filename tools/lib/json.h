/* JSON as all commands print it. */
#ifndef REPRISE_TOOLS_LIB_JSON_H
#define REPRISE_TOOLS_LIB_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

json_t *json_number(uint64_t);
/* A text. Bytes that are no UTF-8, as names of files may have, become U+FFFD. NULL: null. */
json_t *json_text(const char *);
/* The name in the source of a kernel or function (plain_kernel_name). */
json_t *json_source_name(const char *symbol);
/* A message, with the names of kernels as in the source (print_plain_names). */
json_t *json_message(const char *text);
/* Append a value to a list, or put it into an object; they own the value afterwards. A NULL value makes json_finish
 * fail. json_join moves all members of another object into one. */
void json_add(json_t *list, json_t *);
void json_put(json_t *object, const char *key, json_t *);
void json_join(json_t *object, json_t *members);
/* Puts "kernel", the name in the source, and "symbol", the name in the module. */
void json_put_kernel(json_t *object, const char *symbol);
/* Whether memory ran out for a value, so that a document would not be whole. */
bool json_lost(void);
/* The members with which each document begins: "schema", which is "reprise-" and the name given; "version"; "tool". The
 * version grows when a member of any document changes its meaning or goes, not when one comes (docs/pandas.md). */
#define JSON_VERSION 1
json_t *json_document(const char *name);
/* Prints the value, frees it, and returns the exit status. NULL is an error: memory ran out, or json_pack got a text
 * that is not UTF-8, in the place of json_text. */
int json_finish(json_t *);

/* A document that is printed part by part, in the format of json_finish: for lists that are too long for memory. */
struct json_stream {
    const char *name; /* of the document; json_document_open needs it */
    unsigned depth;
    bool follows; /* the list or object has a part already */
    bool failed;
};
/* Opens and closes a list or an object; bracket: [ ] { }. key: NULL in a list, and for the document itself. */
void json_open(struct json_stream *, const char *key, char bracket);
void json_close(struct json_stream *, char bracket);
/* Prints a value and frees it. After a NULL part, or when memory ran out, nothing more is printed. */
void json_part(struct json_stream *, const char *key, json_t *value);
/* Opens the document, and prints the members of json_document. */
void json_document_open(struct json_stream *);
/* Opens the list "traces" of a document with an element for each trace; nothing if it is open. So a document is begun
 * only when there is something to print. json_traces_end closes both and returns the exit status; RP_OK if nothing was
 * begun. */
void json_traces_begin(struct json_stream *);
int json_traces_end(struct json_stream *);
/* After the last bracket; returns the exit status. */
int json_stream_end(struct json_stream *);

#endif
