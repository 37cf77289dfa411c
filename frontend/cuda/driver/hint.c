#include "frontend/cuda/driver/hint.h"

#include <stdlib.h>
#include <unistd.h>

#include "frontend/check/check.h"

#define MOST_KERNELS 8 /* that are kept */

static struct rp_check *sample;
static pid_t owner;

/* Says it at the program's end, if that is a failure. */
static void at_exit(int status, void *unused)
{
    (void)unused;
    if (!status || !sample || getpid() != owner || !rp_check_count(sample) || session_value(SESSION_QUIET))
        return;
    const struct rp_finding *f = rp_check_finding(sample, 0);
    say("the program ends with status %d. In kernel '%s' warps of a block use the same shared memory, and nothing "
        "orders "
        "them: results may differ from those of a GPU. --check race says where",
        status, f->kernel ? f->kernel : "?");
}

struct rp_check *hint_sample(CUfunction f)
{
    if (f->sampled || driver.defaults.check || session_value(SESSION_CHECK))
        return NULL;
    f->sampled = true;
    if (!sample && (sample = rp_check_new(RP_CHECK_RACE, MOST_KERNELS))) {
        owner = getpid();
        on_exit(at_exit, NULL);
    }
    return sample;
}
