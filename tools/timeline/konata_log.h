/* Lives of instructions in Kanata's log format 0004, for the viewer Konata (docs/kanata-log-format.md in its
 * repository): stages "Is" from the issue on, where the unit takes the instruction later, and "X" from its dispatch on,
 * up to the first cycle in which its result can be used. A thread is a warp. */
#ifndef REPRISE_TOOLS_TIMELINE_KONATA_LOG_H
#define REPRISE_TOOLS_TIMELINE_KONATA_LOG_H

#include "tools/timeline/lives.h"
#include "tools/timeline/timeline.h"
#include "tools/timeline/writer.h"

/* What is written of an instruction besides numbers. */
struct konata_words {
    char *text;
    size_t size;
};

/* A number that grows by one, as text. */
struct konata_counter {
    char hundreds[20]; /* all but its last two digits, ... */
    unsigned size;     /* ... which are so many; 0: it is below 100 */
    unsigned last;     /* the last two */
    uint64_t number;   /* of hundreds */
};

/* A warp that was met. */
#define KONATA_WARPS 16384u
struct konata_warp {
    uint64_t warp;
    uint32_t launch;
    bool taken;
};

struct konata_log {
    const struct timeline_request *request;
    struct writer *out;
    struct konata_words **instructions; /* of each kernel, by index; NULL: none yet */
    uint32_t launch;                    /* the last one; `of_launch`: the texts of its kernel */
    struct konata_words *of_launch;
    struct konata_warp *warps; /* [KONATA_WARPS] */
    struct konata_counter issued, retired;
    uint64_t cycle; /* the last one that was written */
    bool begun, starved;
};

/* False: out of memory. Then, too, close it. */
bool konata_log_open(struct konata_log *, const struct timeline_request *, struct writer *);
void konata_log_close(struct konata_log *);
/* Writes a part: for lives_open(), with the log as `data`. */
void konata_log_part(void *log, const struct lives_part *);

#endif
