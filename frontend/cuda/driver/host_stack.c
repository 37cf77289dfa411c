#include "frontend/cuda/driver/host_stack.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "frontend/cuda/driver/driver.h"

#define SAID_FRAMES 8

void host_stack_take(struct host_stack *s) { s->count = backtrace(s->at, HOST_STACK_FRAMES); }

/* Our own libraries, which are between the program and the driver. */
static bool is_ours(const char *path)
{
    static const char *const names[] = {"libcuda.so", "libcudart.so", "libcublas.so", "libcublasLt.so"};
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(file, names[i], strlen(names[i])))
            return true;
    return false;
}

/* The address in the file. An executable at its link address uses it in its own tables. */
static uintptr_t in_file(const Dl_info *in, uintptr_t at)
{
    const Elf64_Ehdr *h = in->dli_fbase;
    return h->e_type == ET_DYN ? at - (uintptr_t)h : at;
}

static bool one_line(FILE *from, char *text, size_t size)
{
    if (!fgets(text, (int)size, from))
        return false;
    text[strcspn(text, "\n")] = 0;
    return *text && *text != '?';
}

/* "main (app.cu:17)" */
static bool look_up(const char *file, uintptr_t at, char *text, size_t size)
{
    char command[5000], function[500], place[500];
    if (strchr(file, '\'') || strlen(file) > 4096)
        return false;
    snprintf(command, sizeof command, "LD_PRELOAD= LD_AUDIT= addr2line -sCfe '%s' 0x%llx 2>/dev/null", file,
             (unsigned long long)at);
    FILE *f = popen(command, "re");
    bool known = f && one_line(f, function, sizeof function), placed = known && one_line(f, place, sizeof place);
    if (f)
        pclose(f);
    if (known)
        snprintf(text, size, placed ? "%s (%s)" : "%s", function, place);
    return known;
}

/* False: the frame belongs to our own libraries. */
static bool say_frame(void *address, bool *last)
{
    uintptr_t at = (uintptr_t)address - 1; /* within the call instruction */
    Dl_info in;
    char text[1100];
    if (!dladdr((void *)at, &in) || !in.dli_fname || is_ours(in.dli_fname))
        return false;
    if (!look_up(in.dli_fname, in_file(&in, at), text, sizeof text)) {
        const char *name = in.dli_sname ? in.dli_sname : in.dli_fname;
        const void *from = in.dli_sname ? in.dli_saddr : in.dli_fbase;
        snprintf(text, sizeof text, "%s+0x%llx", name, (unsigned long long)(at - (uintptr_t)from));
    }
    say("    at %s", text);
    *last = !strncmp(text, "main", 4) && (text[4] == ' ' || text[4] == '+' || !text[4]);
    return true;
}

void host_stack_say(const struct host_stack *s)
{
    bool last = false;
    for (int i = 0, reported = 0; i < s->count && reported < SAID_FRAMES && !last; i++)
        reported += say_frame(s->at[i], &last);
}
