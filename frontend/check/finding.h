/* A finding: what a check reports, once for all its occurrences. All that is found is of this structure: by the checks
 * of kernels (check.h), by what CUDA programs load (frontend/cuda/driver), and read back from a file (tools/findings).
 * docs/findings.md describes it as JSON. */
#ifndef REPRISE_FRONTEND_CHECK_FINDING_H
#define REPRISE_FRONTEND_CHECK_FINDING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tracefmt/source_text.h"

/* X(identifier, bit, name, sentence): the kinds. HOST, LEAK, API and FAULT are of programs; FAULT ends a launch. */
#define RP_FINDING_KINDS(X)                                                                                            \
    X(INIT, 1, "init", "An access reads bytes that nobody has written.")                                               \
    X(RACE, 2, "race", "Two accesses to the same bytes are ordered by nothing, and one of them is a store.")           \
    X(SYNC, 4, "sync", "A barrier, shuffle or other synchronisation is used in an undefined way.")                     \
    X(MEMORY, 8, "memory", "An access of a kernel is out of bounds or misaligned.")                                    \
    X(HOST, 16, "host", "The host uses device memory in a wrong way, such as freeing it twice.")                       \
    X(LEAK, 32, "leak", "Device memory is never freed.")                                                               \
    X(API, 64, "api", "A call of the CUDA API fails.")                                                                 \
    X(FAULT, 128, "fault", "A kernel is ended by an error.")

enum rp_check_kind {
#define X(id, bit, name, sentence) RP_CHECK_##id = bit,
    RP_FINDING_KINDS(X)
#undef X
};
const char *rp_finding_kind(enum rp_check_kind);
/* A sentence that describes the kind. */
const char *rp_finding_about(enum rp_check_kind);
/* 0: there is no kind with this name. */
enum rp_check_kind rp_finding_kind_named(const char *name);

/* A call that the thread is in, or that the compiler replaced by the function's body. */
struct rp_check_call {
    char *function, *file; /* the function, mangled as in the module; the file of the call, NULL: unknown */
    uint32_t line;
};
/* One of a finding's accesses, or where a thread was: its source location and thread. */
struct rp_check_location {
    uint32_t instruction; /* static index */
    uint32_t block[3], thread[3];
    uint8_t access; /* enum rp_access_kind, if the finding has a space */
    char *file;     /* source file; NULL: unknown */
    uint32_t line;
    bool in_ptx;                 /* file and line are those of the module's PTX */
    uint64_t callers;            /* what the calls that the thread is in have in common; 0: it is in the kernel */
    struct rp_check_call *calls; /* the calls around it, innermost first */
    uint32_t call_count;
};

/* A function of the host's call stack. */
struct rp_frame {
    char *function, *file; /* file NULL: unknown */
    uint32_t line;
};
struct rp_stack {
    const char *what; /* "called", "launched", "allocated" or "freed"; static */
    struct rp_frame *frames;
    uint32_t count; /* innermost first */
};
enum { RP_FINDING_STACKS = 3 };

struct rp_finding {
    enum rp_check_kind kind;
    bool fault;       /* it ended a launch */
    bool warning;     /* it may be meant so: memory that is not freed, an access that a GPU does not notice */
    uint8_t space;    /* enum rp_space; RP_SPACE_NONE: not about memory */
    uint64_t address; /* in its space */
    uint32_t size;    /* bytes of the access */
    uint64_t memory;  /* address of the buffer that holds it; 0: in no buffer, or unknown */
    struct rp_check_location here, other;
    bool one, two;  /* `here` is valid; `other` is valid */
    uint64_t times; /* how often it occurred */
    char *kernel;   /* as in the module; NULL: not of a kernel */
    char *text;     /* the report: one line */
    struct rp_stack stacks[RP_FINDING_STACKS];
    uint32_t stack_count;
    uint64_t program;       /* identity of the kernel; of a finding of the host, what makes it one finding */
    uint64_t fingerprint;   /* rp_finding_identify; 0: not known yet */
    uint64_t alike;         /* the fingerprint before rp_finding_distinguish, which such findings share */
    size_t joined;          /* of a race that is part of another finding: that one's index */
    bool suppressed, known; /* a suppression matches it; the baseline has it */
    bool said;              /* the user has been told */
    uint64_t said_times;    /* how often it had occurred then */
    uint64_t logged_times;  /* how often it has occurred, as the log of a program's process says */
};

/* Frees what the finding points to. */
void rp_finding_clear(struct rp_finding *);
/* Where the finding is shown in the source: in the kernel, or the calls around inlined code; or else in the functions
 * of the host. The first place that is not in a header of the toolkit or of the compiler, if there is one, or else the
 * first whose file is known and is not one that nvcc makes for a moment. *file is NULL if none is. */
void rp_finding_place(const struct rp_finding *, const char **file, uint32_t *line);
/* Whether a file is a header of the toolkit or of the compiler. */
bool rp_file_is_of_toolkit(const char *file);
/* Whether nvcc makes the file on its way: its name is another one in each build. */
bool rp_file_is_temporary(const char *file);
/* Sets the fingerprint: a hash (FNV-1a, 64 bits) of the kind, the kernel, the space, and of each place and of the calls
 * around it the name of its file and the text of its line, or the line's number where the text cannot be read. So it
 * stays when other lines change. The places of a race count in either order. */
void rp_finding_identify(struct rp_finding *, struct source_files *);
/* Makes the fingerprint another one than those of the earlier findings of its kind, such as of the same lines with
 * another buffer. It depends on how many there are. */
void rp_finding_distinguish(struct rp_finding *, const struct rp_finding *earlier, size_t count);
/* The kernel's name in the source, which the caller frees; NULL: none, or out of memory. */
char *rp_finding_kernel(const struct rp_finding *);
/* Writes the finding as one line of JSON, with readable names, without the line's end. */
void rp_finding_write(const struct rp_finding *, FILE *);
/* The bytes of the UTF-8 character at `text`; 0: there is none. */
unsigned rp_utf8_bytes(const char *text);
/* Writes a JSON string. What is no UTF-8 becomes '?'. */
void rp_json_text(FILE *, const char *text);
/* Calls the function for each source line of the finding that can be read: the lines of its locations and, for inlined
 * code, of the outermost calls. */
void rp_finding_source(const struct rp_finding *, struct source_files *, source_line_fn *, void *user);

/* "load", "store" or "atomic". */
const char *check_access_name(uint8_t access);

#endif
