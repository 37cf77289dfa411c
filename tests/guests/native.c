/* The calls of guests (tools/guest/reprise_guest.h) for the host itself: a thread for each core. CORES says how many.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "reprise_guest.h"

int guest_main(void);

static unsigned cores = 1;
static pthread_barrier_t barrier;
static _Thread_local unsigned core;

unsigned guest_core(void) { return core; }
unsigned guest_cores(void) { return cores; }
unsigned guest_retired(void) { return 0; }
void guest_barrier(void) { pthread_barrier_wait(&barrier); }
int guest_write(int file, const void *bytes, size_t count) { return (int)write(file, bytes, count); }
void guest_print(const char *text) { fputs(text, stdout); }
void guest_print_hex(uint32_t value) { printf("%08x\n", (unsigned)value); }
void *guest_grow(size_t bytes) { return calloc(bytes, 1); }
void guest_exit(int status) { exit(status); }

static void *native_core(void *number)
{
    core = (unsigned)(size_t)number;
    return guest_main() ? number : NULL;
}

int main(void)
{
    pthread_t threads[4096];
    const char *n = getenv("CORES");
    cores = n ? (unsigned)atoi(n) : 1;
    pthread_barrier_init(&barrier, NULL, cores);
    for (size_t i = 0; i < cores; i++)
        if (pthread_create(&threads[i], NULL, native_core, (void *)i))
            return 125;
    for (size_t i = 0; i < cores; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
