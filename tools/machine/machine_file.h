/* Prints a machine as a machine file. */
#ifndef REPRISE_TOOLS_MACHINE_MACHINE_FILE_H
#define REPRISE_TOOLS_MACHINE_MACHINE_FILE_H

#include <stdio.h>

#include "replay/base/machine.h"

/* Prints every option of the machine in libconfig's syntax: keys with dots become groups. What is printed reads back as
 * the same machine. */
void machine_file_print(const struct machine *, FILE *);

#endif
