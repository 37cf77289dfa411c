/* Where a guest begins, and its calls. On a chip of Reprise every core comes to guest_start by itself. On Linux one
 * thread does; it makes the other cores as threads of its process. g++ and clang++ take it for C++. */
#include "reprise_guest.h"

enum { OWN_CORE = 0x5250, OWN_CORES, OWN_BARRIER, OWN_RETIRED };
enum { STACK_BYTES = 65536 };
/* CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM: a thread of the process */
#define THREAD_FLAGS 0x50f00u

#if defined __riscv
enum { CALL_WRITE = 64, CALL_EXIT = 93, CALL_EXIT_GROUP = 94, CALL_YIELD = 124, CALL_BRK = 214 };
#elif defined __arm__
enum { CALL_EXIT = 1, CALL_WRITE = 4, CALL_BRK = 45, CALL_YIELD = 158, CALL_EXIT_GROUP = 248 };
#elif defined __i386__
enum { CALL_EXIT = 1, CALL_WRITE = 4, CALL_BRK = 45, CALL_YIELD = 158, CALL_EXIT_GROUP = 252 };
#endif

#ifdef __cplusplus
extern "C" {
#endif
int main(int argc, char **argv);
/* In assembler, one for each instruction set. guest_clone: the new thread begins at guest_thread with `stack`. */
long guest_call(long number, long a, long b, long c);
long guest_clone(unsigned long flags, void *stack);
/* Which these call. */
void guest_start(long *sp);
void guest_thread(void);
/* Which compilers call. */
void *memset(void *to, int byte, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memcpy(void *to, const void *from, size_t count);
int memcmp(const void *a, const void *b, size_t count);
/* Of linkers: what is to be called before main, such as constructors of C++. */
typedef void (*constructor)(void);
extern const constructor __init_array_start[] __attribute__((weak)), __init_array_end[] __attribute__((weak));
#ifdef __cplusplus
}
#endif

static unsigned linux_cores;            /* 0: on a chip of Reprise */
static unsigned char *stacks;           /* on Linux: of cores 1 and up */
static unsigned arrived, phase, exited; /* on Linux: the barrier */

/* ---- calls --------------------------------------------------------------------------------------------------------
 */

/* On Linux a core is known by its stack. */
static unsigned core_by_stack(void)
{
    const unsigned char here = 0, *at = &here;
    const size_t offset = (size_t)(at - stacks);
    return stacks && offset < (size_t)(linux_cores - 1) * STACK_BYTES ? 1 + (unsigned)(offset / STACK_BYTES) : 0;
}

unsigned guest_core(void) { return linux_cores ? core_by_stack() : (unsigned)guest_call(OWN_CORE, 0, 0, 0); }
unsigned guest_cores(void) { return linux_cores ? linux_cores : (unsigned)guest_call(OWN_CORES, 0, 0, 0); }
unsigned guest_retired(void) { return linux_cores ? 0 : (unsigned)guest_call(OWN_RETIRED, 0, 0, 0); }

/* The last of the cores that have not exited opens the barrier for the next phase. */
static void release_if_last(unsigned waiting, unsigned gone)
{
    if (waiting && waiting + gone == linux_cores) {
        __atomic_store_n(&arrived, 0, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&phase, 1, __ATOMIC_SEQ_CST);
    }
}

static void linux_barrier(void)
{
    const unsigned mine = __atomic_load_n(&phase, __ATOMIC_SEQ_CST);
    const unsigned waiting = __atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
    release_if_last(waiting, __atomic_load_n(&exited, __ATOMIC_SEQ_CST));
    while (__atomic_load_n(&phase, __ATOMIC_SEQ_CST) == mine)
        guest_call(CALL_YIELD, 0, 0, 0);
}

void guest_barrier(void)
{
    if (linux_cores)
        linux_barrier();
    else
        guest_call(OWN_BARRIER, 0, 0, 0);
}

/* On Linux the last core ends the process, so that its status is that of a core that failed. */
void guest_exit(int status)
{
    static int worst;
    if (linux_cores) {
        if (status)
            __atomic_store_n(&worst, status, __ATOMIC_SEQ_CST);
        const unsigned gone = __atomic_add_fetch(&exited, 1, __ATOMIC_SEQ_CST);
        if (gone == linux_cores)
            guest_call(CALL_EXIT_GROUP, __atomic_load_n(&worst, __ATOMIC_SEQ_CST), 0, 0);
        release_if_last(__atomic_load_n(&arrived, __ATOMIC_SEQ_CST), gone);
    }
    for (;;)
        guest_call(CALL_EXIT, status, 0, 0);
}

int guest_write(int file, const void *bytes, size_t count)
{
    return (int)guest_call(CALL_WRITE, file, (long)bytes, (long)count);
}

void guest_print(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    guest_write(1, text, length);
}

void guest_print_hex(uint32_t value)
{
    char text[9];
    for (int i = 0; i < 8; i++)
        text[i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
    text[8] = '\n';
    guest_write(1, text, sizeof text);
}

/* One core at a time, as Linux's call says where memory shall end, not how much more there shall be. */
void *guest_grow(size_t bytes)
{
    static unsigned taken;
    while (__atomic_exchange_n(&taken, 1, __ATOMIC_SEQ_CST))
        while (__atomic_load_n(&taken, __ATOMIC_RELAXED)) /* which is spinning; LDREX and STREX tell cores apart */
            if (linux_cores)
                guest_call(CALL_YIELD, 0, 0, 0);
    const unsigned long old = (unsigned long)guest_call(CALL_BRK, 0, 0, 0), start = (old + 15) & ~15ul;
    const unsigned long wanted = start + bytes;
    const int grown = wanted >= old && (unsigned long)guest_call(CALL_BRK, (long)wanted, 0, 0) == wanted;
    __atomic_store_n(&taken, 0, __ATOMIC_SEQ_CST);
    return grown ? (void *)start : NULL;
}

/* ---- what compilers call
 * --------------------------------------------------------------------------------------------- */

/* Without a C library. The empty assembler keeps compilers from turning a loop into a call of what it defines. */
#define KEEP_LOOP __asm__ volatile("" ::: "memory")

__attribute__((weak)) void *memset(void *to, int byte, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ((unsigned char *)to)[i] = (unsigned char)byte;
        KEEP_LOOP;
    }
    return to;
}

__attribute__((weak)) void *memmove(void *to, const void *from, size_t count)
{
    unsigned char *d = (unsigned char *)to;
    const unsigned char *s = (const unsigned char *)from;
    for (size_t i = 0; i < count; i++) {
        const size_t at = d < s ? i : count - 1 - i;
        d[at] = s[at];
        KEEP_LOOP;
    }
    return to;
}

__attribute__((weak)) void *memcpy(void *to, const void *from, size_t count) { return memmove(to, from, count); }

__attribute__((weak)) int memcmp(const void *a, const void *b, size_t count)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    for (size_t i = 0; i < count; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* ---- the start ----------------------------------------------------------------------------------------------------
 */

static unsigned number_of(const char *text)
{
    unsigned n = 0;
    while (*text >= '0' && *text <= '9')
        n = 10 * n + (unsigned)(*text++ - '0');
    return n;
}

/* CORES=n of the environment; 1: it is not there. */
static unsigned cores_of(char **environment)
{
    for (; *environment; environment++) {
        const char *e = *environment;
        if (e[0] == 'C' && e[1] == 'O' && e[2] == 'R' && e[3] == 'E' && e[4] == 'S' && e[5] == '=')
            return number_of(e + 6) ? number_of(e + 6) : 1;
    }
    return 1;
}

static void construct(void)
{
    for (uintptr_t f = (uintptr_t)__init_array_start; f < (uintptr_t)__init_array_end; f += sizeof(constructor))
        (*(const constructor *)f)();
}

/* Core 0 constructs for all. */
static void construct_once(void)
{
    if ((uintptr_t)__init_array_start >= (uintptr_t)__init_array_end)
        return;
    if (!guest_core())
        construct();
    guest_barrier();
}

void guest_thread(void) { guest_exit(main(0, NULL)); }

static void make_threads(unsigned cores)
{
    unsigned char *memory = cores > 1 ? (unsigned char *)guest_grow((size_t)(cores - 1) * STACK_BYTES) : NULL;
    if (cores > 1 && !memory)
        guest_call(CALL_EXIT_GROUP, 125, 0, 0);
    stacks = memory;
    linux_cores = cores;
    construct();
    for (unsigned core = 1; core < cores; core++)
        if (guest_clone(THREAD_FLAGS, memory + (size_t)core * STACK_BYTES) < 0)
            guest_call(CALL_EXIT_GROUP, 125, 0, 0);
}

/* sp: argc, argv, 0, environment. */
void guest_start(long *sp)
{
    char **argv = (char **)(sp + 1);
    if (guest_call(OWN_CORE, 0, 0, 0) < 0)
        make_threads(cores_of(argv + sp[0] + 1));
    else
        construct_once();
    guest_exit(main((int)sp[0], argv));
}
