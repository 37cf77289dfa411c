/* Threads that stay between launches and help the caller with one job at a time. */
#ifndef REPRISE_FRONTEND_HOST_TEAM_H
#define REPRISE_FRONTEND_HOST_TEAM_H

struct team;

struct team *team_new(void); /* NULL: no memory */
void team_free(struct team *);

/* Lets up to `helpers` threads call job(data) while the caller goes on; starts threads where there are too few, and
 * makes do with fewer if it cannot. Of one thread at a time; a job must end before the next begins. */
void team_begin(struct team *, unsigned helpers, void (*job)(void *), void *data);
/* No further thread begins the job; returns when those that have begun it are done. */
void team_end(struct team *);

#endif
