/* All that a run has found, of however many processes: one list of struct rp_finding, which all formats are written
 * from. */
#ifndef REPRISE_TOOLS_FINDINGS_H
#define REPRISE_TOOLS_FINDINGS_H

#include <jansson.h>

#include "frontend/check/finding.h"
#include "frontend/check/suppressions.h"
#include "tracefmt/error.h"

struct findings_device {
    char *name, *capability; /* name NULL: not known; "7.5" */
    uint64_t sms, memory;    /* memory: bytes */
};
struct findings {
    struct rp_finding *list;
    size_t count, room;
    uint64_t not_shown; /* findings beyond those that are kept */
    size_t processes;   /* of a program: those that have used CUDA, by our libraries */
    bool launched;      /* of a program: a launch was checked */
    char *unwritten;    /* why messages of the program's processes were lost; NULL: none was */
    char *unloaded;     /* why code of the program could not be loaded, and so not be checked; NULL: all could */
    char *whole;        /* a program that is linked statically as a whole, so that it was not checked; NULL: none */
    char *incomplete;   /* why not everything was checked; NULL: it was */
    bool nothing;       /* incomplete: nothing was checked */
    char *command;      /* the program and its arguments, or the module */
    const char *checks; /* as given with --check */
    struct findings_device device;
    int status, signal; /* how the program ended; signal 0: by exit */
    bool compared;      /* with a baseline */
};
void findings_free(struct findings *);
/* Adds a finding, whose memory the list owns then. False: out of memory; it was freed. */
bool findings_append(struct findings *, struct rp_finding);
/* How many make the run fail: neither suppressed nor known, and those beyond the limit. */
uint64_t findings_failing(const struct findings *);

/* ---- reading (read.c) -------------------------------------------------------------------------------------------- */

/* Adds what the processes of a program have written to their logs in a folder (frontend/cuda/driver/findings.h). A
 * finding that several processes have is one. What `main_process` has found comes first. */
bool findings_read_logs(struct findings *, const char *folder, long main_process, struct rp_error *);
/* Adds the findings of a file that was written as JSON. RP_BAD_INPUT: it is none. */
bool findings_read(struct findings *, const char *path, struct rp_error *);

/* ---- choosing (choose.c) ----------------------------------------------------------------------------------------- */

/* Marks those that the rules match (NULL: none), and those with a fingerprint of the baseline (NULL: none). */
void findings_mark(struct findings *, const struct suppressions *, const struct findings *baseline);
/* Writes rules that suppress all findings that make the run fail. */
bool findings_write_suppressions(const struct findings *, const char *path, struct rp_error *);

/* ---- writing: a file for each format ----------------------------------------------------------------------------- */

/* X(identifier, name, suffix): the suffix stands for the format; "": none does. */
#define FINDINGS_FORMATS(X)                                                                                            \
    X(JSON, json, ".json")                                                                                             \
    X(SARIF, sarif, ".sarif")                                                                                          \
    X(JUNIT, junit, ".xml")                                                                                            \
    X(GITHUB, github, "")                                                                                              \
    X(GITLAB, gitlab, "")
enum findings_format {
    FINDINGS_UNKNOWN,
#define X(id, name, suffix) FINDINGS_##id,
    FINDINGS_FORMATS(X)
#undef X
};
/* By name; FINDINGS_UNKNOWN: there is no such format. */
enum findings_format findings_format_named(const char *name);
/* The format that the end of a file's name stands for; FINDINGS_UNKNOWN: none. */
enum findings_format findings_format_of(const char *path);
/* Bytes that are no UTF-8 become a replacement, or %XX in a URI. False: out of memory. The caller checks the file for
 * errors. */
bool findings_write(const struct findings *, enum findings_format, FILE *);

bool findings_write_json(const struct findings *, FILE *);
bool findings_write_sarif(const struct findings *, FILE *);
bool findings_write_junit(const struct findings *, FILE *);
bool findings_write_github(const struct findings *, FILE *);
bool findings_write_gitlab(const struct findings *, FILE *);
/* The findings as in the JSON format: an array. */
json_t *findings_json(const struct findings *);

/* What formats share (format.c). The folder that paths begin at: where GitHub or GitLab has checked the project out, if
 * the current folder lies in it; else the current folder. "": nobody knows. */
const char *findings_root(void);
/* The path of a source file from there on, if it lies below; else as it is. */
const char *findings_path(const char *file);
/* "race in kernel 'k'" */
void findings_title(const struct rp_finding *, char *text, size_t size);
/* Says that there are findings beyond those that are kept. False: there are none. */
enum { FINDINGS_LEFT_OUT = 100 };
bool findings_left_out(const struct findings *, char text[FINDINGS_LEFT_OUT]);
/* "not all was checked: " and why, or "nothing was checked: ", which the caller frees. NULL: all was. */
char *findings_unchecked(const struct findings *);
/* The text with readable names, which the caller frees. */
char *findings_message(const struct rp_finding *);

#endif
