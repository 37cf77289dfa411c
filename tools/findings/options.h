/* The options of reprise run and record that say what becomes of findings. */
#ifndef REPRISE_TOOLS_FINDINGS_OPTIONS_H
#define REPRISE_TOOLS_FINDINGS_OPTIONS_H

#include "tools/findings/findings.h"

enum finding_key {
    FINDINGS_FILE = 640,
    FINDINGS_FORMAT,
    FINDINGS_ERROR_EXITCODE,
    FINDINGS_SUPPRESSIONS,
    FINDINGS_WRITE_SUPPRESSIONS,
    FINDINGS_BASELINE,
    FINDINGS_PRINT_LIMIT,
    FINDINGS_KEY_END
};

#define ROWS_FINDINGS                                                                                                  \
    {NULL, 0, NULL, "What --check finds"},                                                                             \
        {"findings", FINDINGS_FILE, "FILE",                                                                            \
         "Write the findings to FILE.json, FILE.sarif or FILE.xml (JUnit); - is standard output; may be repeated"},    \
        {"format", FINDINGS_FORMAT, "FORMAT",                                                                          \
         "Format where the file's name says none: json, sarif, junit, github (annotations, on standard output unless " \
         "a file is given), gitlab (Code Quality, also for FILE.json)"},                                               \
        {"error-exitcode", FINDINGS_ERROR_EXITCODE, "N",                                                               \
         "Exit status if there are findings (3); 0: the program's own. A program that a signal ends keeps its own"},   \
        {"suppressions", FINDINGS_SUPPRESSIONS, "FILE",                                                                \
         "Do not report findings that a line of FILE matches, such as kind=race kernel=^mine file=sum.cu:12"},         \
        {"write-suppressions", FINDINGS_WRITE_SUPPRESSIONS, "FILE", "Write such a file for what is found"},            \
        {"baseline", FINDINGS_BASELINE, "FILE",                                                                        \
         "Report only what is not in FILE, which an earlier run has written as JSON"},                                 \
    {                                                                                                                  \
        "print-limit", FINDINGS_PRINT_LIMIT, "N",                                                                      \
            "Print at most N findings of a process (100); 0: all. Files have the others, too"                          \
    }

enum { FINDINGS_FILES = 8 };
struct finding_options {
    const char *files[FINDINGS_FILES];
    size_t file_count;
    enum findings_format format; /* FINDINGS_UNKNOWN: not given */
    const char *suppressions, *write_suppressions, *baseline;
    const char *last; /* the last option of these, for messages; NULL: none was given */
    uint64_t print_limit;
    bool limited;
    int error_status; /* -1: not given */
};
/* Without options. */
#define FINDING_OPTIONS ((struct finding_options){.error_status = -1})

static inline bool is_finding_key(int key) { return key >= FINDINGS_FILE && key < FINDINGS_KEY_END; }
bool finding_option(struct finding_options *, int key, const char *argument, struct rp_error *);
/* The most findings of a process that are printed, and that are kept for reports. */
uint32_t findings_printed(const struct finding_options *);
uint32_t findings_kept(const struct finding_options *);

/* What the options name, read before the run. */
struct finding_rules {
    struct suppressions *suppressions;
    struct findings baseline;
};
/* Refuses a file that would be written twice. `other`: another output, NULL: none; `what` it is, such as "the trace".
 */
bool finding_files_differ(const struct finding_options *, const char *other, const char *what, struct rp_error *);
/* Checks the options and reads the files. `checks`: something is looked for. */
bool finding_rules_open(struct finding_rules *, const struct finding_options *, bool checks, struct rp_error *);
void finding_rules_free(struct finding_rules *);
/* Writes suppressions for what is suppressed and what is in the baseline, for the program's process. */
bool finding_rules_write(const struct finding_rules *, const struct finding_options *, const char *path,
                         struct rp_error *);

/* Marks the findings and writes all files. Returns the exit status: `status`, unless findings make it another one. */
int findings_conclude(struct findings *, const struct finding_options *, const struct finding_rules *, int status);

#endif
