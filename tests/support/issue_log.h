/* All instructions of a replay, in the order in which they issue, and when each is done. */
#ifndef REPRISE_TESTS_ISSUE_LOG_H
#define REPRISE_TESTS_ISSUE_LOG_H

#include "replay/base/observer.h"

struct logged_issue {
    struct observed_issue issue;
    uint64_t dispatch, done; /* done: 0 if that was not reported */
};

struct issue_log {
    struct logged_issue *list;
    size_t count, room;
};

/* Adds to the log, which begins as 0. Ends the program if memory runs out, or if an end belongs to no issue or comes
 * twice. */
struct observer issue_log_observer(struct issue_log *);
void issue_log_free(struct issue_log *);

#endif
