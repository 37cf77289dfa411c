/* The folder in which ptxas works, and what becomes of it where a signal ends the process. */
#ifndef REPRISE_FRONTEND_LOADER_PTXAS_FOLDER_H
#define REPRISE_FRONTEND_LOADER_PTXAS_FOLDER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

struct ptxas_folder {
    const char *module;  /* its name in messages */
    char path[64];       /* "": not made yet */
    char input[80];      /* file of the PTX there: ptxas's messages and nothing else have it */
    unsigned pieces;     /* modules of PTX, in files of their own if there are several */
    _Atomic pid_t child; /* what runs there; 0: nothing */
};

/* Makes the folder in $TMPDIR. Until it is removed, SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU, where they have the
 * default action, end the process after ptxas_abandon() and a line on stderr. False: errno says why. */
bool ptxas_folder_make(struct ptxas_folder *);
void ptxas_folder_remove(struct ptxas_folder *);
/* Waits for the child. Returns its status, as waitpid() has it; -1: it is not known. */
int ptxas_folder_wait(struct ptxas_folder *);
/* File of a piece, from 0, without the folder. */
const char *ptxas_piece_name(unsigned piece, const char *ending, char name[32]);

#endif
