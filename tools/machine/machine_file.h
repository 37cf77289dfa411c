/* A machine as the text of a machine file. */
#ifndef REPRISE_TOOLS_MACHINE_MACHINE_FILE_H
#define REPRISE_TOOLS_MACHINE_MACHINE_FILE_H

#include <stdio.h>

/* Prints `text`, one "key = value" line per option (struct machine's), in libconfig's syntax: keys with dots become
 * groups. Lines of one group must be neighbours. What is printed reads back as the same machine. */
void machine_file_print(const char *text, FILE *);

#endif
