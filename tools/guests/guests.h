/* Guests under reprise record and run: programs for a chip of many cores (docs/guests.md). */
#ifndef REPRISE_TOOLS_GUESTS_H
#define REPRISE_TOOLS_GUESTS_H

#include "tools/lib/command.h"

enum guest_key {
    GUEST_KEY_FILE = 768,
    GUEST_KEY_CORES,
    GUEST_KEY_DATA,
    GUEST_KEY_ENGINE,
    GUEST_KEY_PATIENCE,
};

/* `also`: other options of the command that guests take. */
#define ROWS_GUEST(also)                                                                                               \
    {NULL, 0, NULL,                                                                                                    \
     "Guests; also " also "--save SYMBOL=FILE, --cluster, --stack, --limit, --json, --quiet, and --threads, which "    \
     "changes nothing"},                                                                                               \
        {"guest", GUEST_KEY_FILE, "FILE",                                                                              \
         "Run a program of a chip of many cores: a static ELF executable of RV32IMAC, ARMv7-A or IA-32 "               \
         "(docs/guests.md)"},                                                                                          \
        {"cores", GUEST_KEY_CORES, "N",                                                                                \
         "Cores of the chip, at most 4096 (32); --cluster N: cores of a block of the trace"},                          \
        {"data", GUEST_KEY_DATA, "SYMBOL=FORM", "Fill a variable before the run, in the forms that buf= has"},         \
        {"engine", GUEST_KEY_ENGINE, "NAME",                                                                           \
         "lockstep: 32 cores at once; reference: one core after the other, without a trace (lockstep)"},               \
    {                                                                                                                  \
        "patience", GUEST_KEY_PATIENCE, "N",                                                                           \
            "Instructions of 32 cores after which one that waits for its turn gets it, so that others may spin (256)"  \
    }

/* Whether the command line asks for a guest. `end`: the words to look at. */
bool guest_asked(int end, char **argv);
/* Whether only guests have the option. */
bool guest_owns(int key);
/* Reads the command line and runs the guest. Returns the exit status. key_*: what the command calls these options. */
struct guest_keys {
    int output, save, cluster, stack, limit, threads, json, quiet, no_trace;
};
int guest_run(const struct command *, int argc, char **argv, const struct guest_keys *);

#endif
