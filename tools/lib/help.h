/* Prints struct command as help. */
#ifndef REPRISE_TOOLS_LIB_HELP_H
#define REPRISE_TOOLS_LIB_HELP_H

#include <stdio.h>

#include "tools/lib/command.h"

/* The exit statuses and environment variables of all commands; an empty row ends each list. */
struct help_row {
    const char *name, *text;
};
extern const struct help_row help_statuses[], help_environment[];

/* A subject that has a page of its own, and its parts; a part without heading, text and rows ends the list. */
struct topic_part {
    const char *heading;
    const char *text;            /* NULL, or a paragraph per line; lines that begin with a blank stay as they are */
    const struct help_row *rows; /* NULL, or a list */
    void (*each)(void (*row)(void *, const char *name, const char *text), void *); /* NULL, or visits rows */
};
struct topic {
    const char *name, *summary;
    int section; /* of the man page: 5 is about files, 7 about all else */
    const struct topic_part *parts;
};

/* Print --help of all commands with the topics (the lists end in NULL), or of one. Lines are as wide as the terminal,
 * at most 100 columns; 80 columns elsewhere. */
void help_all(const struct command *const *, const struct topic *const *, FILE *);
void help_command(const struct command *, FILE *);
void help_topic(const struct topic *, FILE *);

#endif
