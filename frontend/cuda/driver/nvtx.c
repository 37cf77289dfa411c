#include "frontend/cuda/driver/nvtx.h"

#include <pthread.h>
#include <regex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/driver/driver.h"

#define DEEPEST 256      /* pushed ranges per thread; deeper ones are ignored */
#define MOST_STARTED 256 /* open ranges that match the expression */
#define NAME_BYTES 512

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool wanted, readable;
static regex_t expression;

static void read_expression(void)
{
    const char *text = session_value(SESSION_NVTX);
    wanted = text != NULL;
    readable = !text || !regcomp(&expression, text, REG_EXTENDED | REG_NOSUB);
}

bool nvtx_open(struct rp_error *err)
{
    pthread_once(&once, read_expression);
    return readable ||
           rp_fail(err, RP_USAGE, "REPRISE_NVTX: '%s' is not a regular expression", session_value(SESSION_NVTX));
}

static bool finds(const char *name)
{
    pthread_once(&once, read_expression);
    return name && wanted && readable && !regexec(&expression, name, 0, NULL, 0);
}

/* ---- ranges ------------------------------------------------------------------------------------------------------ */

static _Thread_local struct {
    const void *domain;
    bool found;
} pushed[DEEPEST];
static _Thread_local int depth;

static int push(const void *domain, const char *name)
{
    if (depth < DEEPEST) {
        pushed[depth].domain = domain;
        pushed[depth].found = finds(name);
    }
    return depth++;
}

/* Removes the last range of the domain. */
static int pop(const void *domain)
{
    int at = depth < DEEPEST ? depth : DEEPEST;
    while (at > 0 && pushed[at - 1].domain != domain)
        at--;
    if (!at)
        return -2; /* NVTX_NO_PUSH_POP_TRACKING */
    memmove(&pushed[at - 1], &pushed[at], (size_t)(DEEPEST - at) * sizeof *pushed);
    return --depth;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t started[MOST_STARTED], last_range;

static uint64_t start(const char *name)
{
    bool found = finds(name);
    pthread_mutex_lock(&mutex);
    uint64_t id = ++last_range;
    for (size_t i = 0; i < MOST_STARTED && found; i++)
        if (!started[i]) {
            started[i] = id;
            found = false;
        }
    pthread_mutex_unlock(&mutex);
    return id;
}

static void end(uint64_t id)
{
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < MOST_STARTED; i++)
        started[i] = started[i] == id ? 0 : started[i];
    pthread_mutex_unlock(&mutex);
}

bool nvtx_within(void)
{
    bool within = !wanted;
    for (int i = 0; i < depth && i < DEEPEST; i++)
        within |= pushed[i].found;
    pthread_mutex_lock(&mutex);
    for (size_t i = 0; i < MOST_STARTED && !within; i++)
        within = started[i];
    pthread_mutex_unlock(&mutex);
    return within;
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

enum { MESSAGE_ASCII = 1, MESSAGE_UNICODE = 2, MESSAGE_REGISTERED = 3 };
struct attributes { /* nvtxEventAttributes_t, version 2 and 3 */
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
};

/* Replaces characters that are not ASCII by question marks. */
static const char *narrow(const wchar_t *wide, char *to)
{
    size_t i = 0;
    for (; wide && wide[i] && i < NAME_BYTES - 1; i++)
        to[i] = wide[i] < 128 ? (char)wide[i] : '?';
    to[i] = 0;
    return to;
}

static const char *name_of(const struct attributes *a, char *room)
{
    if (!a || !a->message)
        return NULL;
    /* the handle of a registered string is the string */
    return a->message_type == MESSAGE_UNICODE                                          ? narrow(a->message, room)
           : a->message_type == MESSAGE_ASCII || a->message_type == MESSAGE_REGISTERED ? a->message
                                                                                       : NULL;
}

static uint64_t start_a(const char *name) { return start(name); }
static uint64_t start_w(const wchar_t *name)
{
    char room[NAME_BYTES];
    return start(narrow(name, room));
}
static uint64_t start_ex(const struct attributes *a)
{
    char room[NAME_BYTES];
    return start(name_of(a, room));
}
static int push_a(const char *name) { return push(NULL, name); }
static int push_w(const wchar_t *name)
{
    char room[NAME_BYTES];
    return push(NULL, narrow(name, room));
}
static int push_ex(const struct attributes *a)
{
    char room[NAME_BYTES];
    return push(NULL, name_of(a, room));
}
static int pop_plain(void) { return pop(NULL); }

static uint64_t domain_start(const void *domain, const struct attributes *a)
{
    (void)domain;
    return start_ex(a);
}
static void domain_end(const void *domain, uint64_t id)
{
    (void)domain;
    end(id);
}
static int domain_push(const void *domain, const struct attributes *a)
{
    char room[NAME_BYTES];
    return push(domain, name_of(a, room));
}
static int domain_pop(const void *domain) { return pop(domain); }
/* Domains and strings live until the process ends. */
static void *keep_a(const char *name) { return name ? strdup(name) : NULL; }
static void *keep_w(const wchar_t *name)
{
    char room[NAME_BYTES];
    return strdup(narrow(name, room));
}
static void *register_a(const void *domain, const char *text)
{
    (void)domain;
    return keep_a(text);
}
static void *register_w(const void *domain, const wchar_t *text)
{
    (void)domain;
    return keep_w(text);
}

/* ---- hooks ------------------------------------------------------------------------------------------------------- */

typedef void (*hook)(void);
struct export_table { /* NvtxExportTableCallbacks */
    size_t size;
    int (*functions)(int module, hook ***table, unsigned *count);
};
enum { TABLE_CALLBACKS = 1, MODULE_CORE = 1, MODULE_DOMAINS = 5 };

/* By NvtxCallbackIdCore and NvtxCallbackIdCore2. */
static const hook core[] = {[4] = (hook)start_ex, [5] = (hook)start_a, [6] = (hook)start_w, [7] = (hook)end,
                            [8] = (hook)push_ex,  [9] = (hook)push_a,  [10] = (hook)push_w, [11] = (hook)pop_plain};
static const hook domains[] = {
    [2] = (hook)domain_start, [3] = (hook)domain_end,  [4] = (hook)domain_push, [5] = (hook)domain_pop,
    [10] = (hook)register_a,  [11] = (hook)register_w, [12] = (hook)keep_a,     [13] = (hook)keep_w};

static bool install(const struct export_table *t, int module, const hook *ours, unsigned count)
{
    hook **table;
    unsigned room;
    if (!t->functions(module, &table, &room))
        return false;
    for (unsigned i = 0; i < count && i < room; i++)
        if (ours[i] && table[i])
            *table[i] = ours[i];
    return true;
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(const void *(*table)(uint32_t));
int InitializeInjectionNvtx2(const void *(*table)(uint32_t))
{
    const struct export_table *t = table(TABLE_CALLBACKS);
    return t && t->size >= sizeof *t && install(t, MODULE_CORE, core, sizeof core / sizeof *core) &&
           install(t, MODULE_DOMAINS, domains, sizeof domains / sizeof *domains);
}
