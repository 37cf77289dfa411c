/* The steps of an ablation: parts of a machine that are taken away or made ideal, one after the other.
 *
 * The steps that are there from the start are those of "Bounding the WCET of a GPU Thread Block with a Multi-Phase
 * Representation of Warps Execution" (ECRTS 2025), Table 2, in its order.
 */
#ifndef REPRISE_TOOLS_ABLATE_STEPS_H
#define REPRISE_TOOLS_ABLATE_STEPS_H

#include "tools/replaying/replaying.h"

#define MOST_STEPS 16
#define MOST_STEP_SETTINGS 16

struct step {
    const char *name;
    struct machine_setting settings[MOST_STEP_SETTINGS];
    size_t count;
};

struct steps {
    struct step list[MOST_STEPS];
    size_t count;
    char *texts[MOST_STEPS]; /* what those of the command line point to */
    size_t text_count;
};

/* Those of the paper, to be taken `alone` or one after the other. Of a machine whose sub-cores have instruction caches
 * of their own (icache.caches) one sub-core keeps one. False: the machine cannot be had. */
bool steps_of_paper(struct steps *, bool alone, const struct machine_args *, struct rp_error *);
/* One more: "NAME:KEY=VALUE[,KEY=VALUE...]", or without a name. Errors are RP_USAGE. */
bool steps_add(struct steps *, const char *text, struct rp_error *);
void steps_free(struct steps *);

/* The machine with the first `count` steps taken (`alone`: with step number `count` - 1 only); 0 is the machine itself.
 */
struct machine *steps_machine(const struct steps *, size_t count, bool alone, const struct machine_args *,
                              struct rp_error *);

#endif
