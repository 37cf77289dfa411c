/* A thread pool: threads that stay between launches and help the caller with one job at a time. */
#ifndef REPRISE_FRONTEND_HOST_THREAD_POOL_H
#define REPRISE_FRONTEND_HOST_THREAD_POOL_H

/* The name of the threads that are not the program's (pthread_setname_np). */
#define REPRISE_THREAD "reprise worker"

struct thread_pool;

struct thread_pool *thread_pool_new(void); /* NULL: out of memory */
void thread_pool_free(struct thread_pool *);

/* Lets up to `helpers` threads call job(data) while the caller goes on. Starts threads if there are too few, and makes
 * do with fewer if that fails. One caller at a time; a job must end before the next begins. */
void thread_pool_begin(struct thread_pool *, unsigned helpers, void (*job)(void *), void *data);
/* Lets no further thread join the job; returns when those in it are done. */
void thread_pool_end(struct thread_pool *);

#endif
