/* Files with the content of a buffer: plain bytes, or numpy's .npy. */
#ifndef REPRISE_TOOLS_RECORD_DATA_FILE_H
#define REPRISE_TOOLS_RECORD_DATA_FILE_H

#include "tools/record/npy.h"

struct data_file {
    int fd; /* at the first byte of the content */
    uint64_t bytes;
    struct npy npy; /* element is ELEMENT_UNKNOWN for plain bytes */
};

/* `what`: what it is read for, for messages. Errors are RP_BAD_INPUT. */
bool data_file_open(struct data_file *, const char *path, const char *what, struct rp_error *);
/* Reads the whole content and closes the file. */
bool data_file_read(struct data_file *, const char *path, void *to, struct rp_error *);
void data_file_close(struct data_file *);

#endif
