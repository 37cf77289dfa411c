/* Files with the content of a buffer: plain bytes, numpy's .npy, or text. */
#ifndef REPRISE_TOOLS_RECORD_DATA_FILE_H
#define REPRISE_TOOLS_RECORD_DATA_FILE_H

#include "tools/record/npy.h"

struct data_file {
    int fd; /* at the first byte of the content */
    uint64_t bytes;
    struct npy npy; /* element is ELEMENT_UNKNOWN for plain bytes */
};

/* `what`: the purpose of the file, for messages. Errors are RP_BAD_INPUT. */
bool data_file_open(struct data_file *, const char *path, const char *what, struct rp_error *);
/* Reads the whole content and closes the file. */
bool data_file_read(struct data_file *, const char *path, void *to, struct rp_error *);
/* Reads a text file with `count` elements of a type, one a line as element_text writes them, into `to`. */
bool text_file_read(const char *path, const char *what, enum element, uint64_t count, void *to, struct rp_error *);
void data_file_close(struct data_file *);

#endif
