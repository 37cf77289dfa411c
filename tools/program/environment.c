/* The environment that makes a program find our libraries, configures compilers at run time and gives them caches of
 * their own, and describes the session (frontend/cuda/abi/session.h). */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "frontend/cuda/session.h"
#include "frontend/loader/isa.h"
#include "tools/program/program.h"

static bool no_memory(struct rp_error *err) { return rp_fail(err, RP_SYSTEM, "out of memory"); }

/* Adds a variable; a format of NULL removes it. */
static bool add(struct environment *e, const char *name, const char *format, ...)
{
    struct variable v = {strdup(name), NULL};
    va_list args;
    va_start(args, format);
    bool fine = v.name && (!format || vasprintf(&v.value, format, args) >= 0);
    va_end(args);
    if (!fine || e->count == sizeof e->list / sizeof *e->list) {
        free(v.name);
        return false;
    }
    e->list[e->count++] = v;
    return true;
}

/* Puts the text before the value that the variable has, separated by a colon. */
static bool add_before(struct environment *e, const char *name, const char *value)
{
    const char *old = getenv(name);
    return add(e, name, "%s%s%s", value, old && *old ? ":" : "", old ? old : "");
}

void environment_free(struct environment *e)
{
    for (size_t i = 0; i < e->count; i++) {
        free(e->list[i].name);
        free(e->list[i].value);
    }
    e->count = 0;
}

/* ---- our libraries ----------------------------------------------------------------------------------------------- */

/* Finds the libraries: in the program's folder in a build tree, in ../lib/reprise of an installation. */
static bool library_folder(char folder[PATH_MAX], struct rp_error *err)
{
    static const char *const places[] = {"lib", "../lib/reprise"};
    char self[PATH_MAX], path[2 * PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return rp_fail(err, RP_SYSTEM, "/proc/self/exe: %s", strerror(errno));
    self[length] = 0;
    *strrchr(self, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/%s/libcuda.so.1", self, places[i]);
        if (!access(path, R_OK)) {
            *strrchr(path, '/') = 0;
            if (realpath(path, folder))
                return true;
        }
    }
    return rp_fail(err, RP_SYSTEM, "libcuda.so.1 of reprise is neither in %s/lib nor in %s/../lib/reprise", self, self);
}

/* Refuses folders with blanks and colons, at which the names in LD_PRELOAD and LD_AUDIT end. */
static bool check_folder(const char *folder, struct rp_error *err)
{
    if (!strpbrk(folder, " \t:"))
        return true;
    return rp_fail(err, RP_SYSTEM,
                   "%s: the dynamic linker takes no libraries from a folder with blanks or colons in "
                   "its name; install reprise elsewhere",
                   folder);
}

/* Adds our libraries. Where PTX is wanted, our linker of LTO IR replaces NVIDIA's. */
static bool add_libraries(struct environment *e, const char *folder, bool ptx, bool nvtx)
{
    static const char *const preloads[] = {"libcuda.so.1", "libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13",
                                           "libnvJitLink.so.13"};
    char list[5 * (PATH_MAX + 32)] = "", audit[PATH_MAX + 32];
    size_t length = 0;
    for (size_t i = 0; i < sizeof preloads / sizeof *preloads - !ptx; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s/%s", i ? ":" : "", folder, preloads[i]);
    snprintf(audit, sizeof audit, "%s/libreprise-redirect.so", folder);
    return add_before(e, "LD_LIBRARY_PATH", folder) && add_before(e, "LD_PRELOAD", list) &&
           add_before(e, "LD_AUDIT", audit) && add(e, "TRITON_LIBCUDA_PATH", "%s", folder) &&
           (!nvtx || add(e, "NVTX_INJECTION64_PATH", "%s/libcuda.so.1", folder));
}

/* ---- compilers at run time --------------------------------------------------------------------------------------- */

/* Sets caches of compiled kernels. Their keys have the architecture only, so PTX and machine code need separate
 * folders. */
static bool add_caches(struct environment *e, const char *kind)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool given = cache && *cache == '/';
    const char *base = given ? cache : home ? home : "/tmp", *below = given ? "" : home ? "/.cache" : "";
    return add(e, "CUPY_CACHE_DIR", "%s%s/reprise/cupy-%s", base, below, kind) &&
           add(e, "TRITON_CACHE_DIR", "%s%s/reprise/triton-%s", base, below, kind) &&
           add(e, "NUMBA_CACHE_DIR", "%s%s/reprise/numba-%s", base, below, kind);
}

/* PyTorch is told to do without cuBLASLt. */
static bool add_compilers(struct environment *e, const char *folder, bool ptx)
{
    if (!add(e, "NUMBA_ENABLE_CUDASIM", NULL) || !add(e, "DISABLE_ADDMM_CUDA_LT", "1") ||
        !add_caches(e, ptx ? "ptx" : "sass"))
        return false;
    return !ptx || (add(e, "CUPY_COMPILE_WITH_PTX", "1") && add(e, "TRITON_PTXAS_PATH", "%s/reprise-ptxas", folder));
}

/* ---- the session ------------------------------------------------------------------------------------------------- */

static const char *name_of(enum session_variable v) { return session_variable_names[v]; }

/* Sets a variable of the session, or removes it for NULL: reprise itself may run in the session of another. */
static bool add_text(struct environment *e, enum session_variable v, const char *text)
{
    return text ? add(e, name_of(v), "%s", text) : add(e, name_of(v), NULL);
}

static bool add_number(struct environment *e, enum session_variable v, unsigned long long value)
{
    return value ? add(e, name_of(v), "%llu", value) : add(e, name_of(v), NULL);
}

/* Makes the file's name absolute, as the program may change its folder. */
static bool add_file(struct environment *e, enum session_variable v, const char *output)
{
    char here[PATH_MAX];
    if (!output || *output == '/' || !getcwd(here, sizeof here))
        return add_text(e, v, output);
    return add(e, name_of(v), "%s/%s", here, output);
}

static bool add_command(struct environment *e, char *const *command)
{
    char *text = NULL;
    size_t size;
    FILE *f = command ? open_memstream(&text, &size) : NULL;
    if (!f)
        return add_text(e, SESSION_COMMAND, NULL);
    for (size_t i = 0; command[i]; i++)
        fprintf(f, "%s%s", i ? " " : "", command[i]);
    bool fine = !fclose(f) && add_text(e, SESSION_COMMAND, text);
    free(text);
    return fine;
}

/* Describes the device of the session; NULL: the library's default. */
static bool add_device(struct environment *e, const struct machine *machine)
{
    char *figures = machine ? program_figures(machine) : NULL;
    bool fine = (!machine || figures) && add_text(e, SESSION_DEVICE, figures);
    free(figures);
    return fine;
}

/* The time by the clock that stamps files, in ns since 1970. */
static unsigned long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME_COARSE, &t);
    return (unsigned long long)t.tv_sec * 1000000000u + (unsigned long long)t.tv_nsec;
}

/* 0 means no limit. */
static bool add_limit(struct environment *e, const struct finding_options *o)
{
    return add(e, name_of(SESSION_PRINT_LIMIT), "%" PRIu64, o->print_limit);
}

static bool add_session(struct environment *e, const struct program_options *p, char *const *command)
{
    return add_file(e, SESSION_TRACE, p->output) && add_text(e, SESSION_FINDINGS, p->log_folder) &&
           add_text(e, SESSION_SUPPRESSIONS, p->rules) && (!p->log_file || add_file(e, SESSION_LOG, p->log_file)) &&
           (p->findings.limited ? add_limit(e, &p->findings) : add_text(e, SESSION_PRINT_LIMIT, NULL)) &&
           add_number(e, SESSION_DEVICES, p->devices) && add_text(e, SESSION_KERNELS, p->kernels) &&
           add_text(e, SESSION_LAUNCHES, p->launches) && add_number(e, SESSION_FIRST, p->first) &&
           add_text(e, SESSION_NVTX, p->nvtx) && add_number(e, SESSION_MAX_SIZE, p->max_size) &&
           add_text(e, SESSION_CHECK, p->check) && add_number(e, SESSION_THREADS, p->threads) &&
           add_number(e, SESSION_PROFILER, p->profiler) && add_number(e, SESSION_LIMIT, p->limit) &&
           add_text(e, SESSION_TENSOR_SUMS, p->sums) && add_number(e, SESSION_STRICT, p->strict) &&
           add_text(e, SESSION_PREFER, p->prefer) && add_number(e, SESSION_SCHEDULE, p->schedule) &&
           add_number(e, SESSION_QUIET, p->quiet) && add_number(e, SESSION_STATS, p->stats) &&
           add_number(e, SESSION_EVERY_LAUNCH, p->every_launch) &&
           add_number(e, SESSION_STARTED, command ? now() : 0) &&
           add_number(e, SESSION_PROGRAM, command ? (unsigned long long)getpid() : 0) && add_command(e, command);
}

/* Whether compilers shall produce PTX: they must if we do not execute the device's machine code. */
static bool wants_ptx(const struct program_options *p, const struct machine *machine)
{
    if (p->prefer)
        return !strcmp(p->prefer, "ptx");
    const struct isa *code = isa_of_sm(machine ? program_capability(machine) : 0);
    return !code || isa_rank(code) > isa_rank(&isa_ptx);
}

/* Opens the machine of --device; *machine is NULL without that option. */
static bool open_device(const struct machine_args *args, struct machine **machine, struct rp_error *err)
{
    *machine = NULL;
    if (!args->machine)
        return !args->count ||
               rp_fail(err, RP_USAGE,
                       "--set changes the machine of --device, and none is named: '--device rtx2060 --set %s=%s'; "
                       "'reprise machine list' has the names",
                       args->settings[0].key, args->settings[0].value);
    *machine = machine_args_open(args, NULL, 0, err);
    if (!*machine || !machine_is_cores(*machine))
        return *machine;
    machine_free(*machine);
    *machine = NULL;
    return rp_fail(err, RP_USAGE, "--device %s: that is a chip of many cores, and no device of CUDA", args->machine);
}

bool program_environment(const struct program_options *p, char *const *command, struct environment *e,
                         struct rp_error *err)
{
    char folder[PATH_MAX];
    struct machine *machine;
    e->count = 0;
    if (!library_folder(folder, err) || !check_folder(folder, err) || !open_device(&p->device, &machine, err))
        return false;
    bool ptx = wants_ptx(p, machine);
    bool fine = (add_device(e, machine) && add_libraries(e, folder, ptx, p->nvtx) && add_compilers(e, folder, ptx) &&
                 add_session(e, p, command)) ||
                no_memory(err);
    machine_free(machine);
    if (!fine)
        environment_free(e);
    return fine;
}
