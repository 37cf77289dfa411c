#include "tests/support/issue_log.h"

#include <stdio.h>
#include <stdlib.h>

static void require(bool fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "issue log: %s\n", what);
    abort();
}

static void note_issue(void *data, const struct observed_issue *i)
{
    struct issue_log *log = data;
    if (log->count == log->room) {
        log->room = log->room ? 2 * log->room : 256;
        log->list = realloc(log->list, log->room * sizeof *log->list);
        require(log->list, "out of memory");
    }
    log->list[log->count++] = (struct logged_issue){.issue = *i};
}

/* Most ends come soon behind their issues. */
static void note_done(void *data, const struct observed_done *d)
{
    struct issue_log *log = data;
    for (size_t n = log->count; n-- > 0;) {
        struct logged_issue *l = &log->list[n];
        const struct observed_issue *i = &l->issue;
        if (i->launch != d->launch || i->block != d->block || i->warp != d->warp || i->number != d->number)
            continue;
        require(!l->done && i->sm == d->sm, "an instruction ends twice, or elsewhere");
        l->dispatch = d->dispatch;
        l->done = d->cycle;
        return;
    }
    require(false, "an end without an issue");
}

struct observer issue_log_observer(struct issue_log *log)
{
    return (struct observer){.data = log, .issue = note_issue, .done = note_done};
}

void issue_log_free(struct issue_log *log)
{
    free(log->list);
    *log = (struct issue_log){0};
}
