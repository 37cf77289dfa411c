#include "tools/cuda/compile.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/cuda/messages.h"
#include "tools/data/folder.h"

#define MOST_FLAGS 64
extern char **environ;

struct command_words {
    const char *words[32 + MOST_FLAGS];
    size_t count;
};

static void add(struct command_words *c, const char *word) { c->words[c->count++] = word; }

/* Splits the next word off a text as a shell does, and removes quotes and backslashes. The text is changed. *word is
 * NULL after the last word. */
static bool next_word(char **text, char **word, struct rp_error *err)
{
    char *from = *text + strspn(*text, " \t\n"), *to = from, quote = 0;
    *word = *from ? from : NULL;
    for (; *from && (quote || !strchr(" \t\n", *from)); from++) {
        bool escapes = *from == '\\' && quote != '\'' && from[1] && (!quote || strchr("\\\"$`", from[1]));
        if (!escapes && (quote ? *from == quote : *from == '"' || *from == '\''))
            quote = quote ? 0 : *from;
        else
            *to++ = *(from += escapes);
    }
    *text = from + (*from != 0);
    *to = 0;
    return !quote ||
           rp_fail(err, RP_USAGE, "--clang-flags: a quote %c is not closed; write it twice, or \\%c for itself", quote,
                   quote);
}

/* Makes the command; `flags` is split into words. The result of the compilation depends neither on the current folder
 * nor on that of the headers. */
static bool build(struct command_words *c, const char *clang, const char *source, const char *arch, const char *headers,
                  const char *map, char *flags, struct rp_error *err)
{
    static const char *const always[] = {
        "-x",
        "cuda",
        "--cuda-device-only",
        "-nocudainc",
        "-nocudalib",
        "-O2",
        "-S",
        "-gline-tables-only",
        "-Xclang", /* -gline-tables-only keeps nothing but lines of optimised code */
        "-debug-info-kind=limited",
        "-fdebug-compilation-dir=.",
        "-Wno-unknown-cuda-version",
        "--cuda-path=/nonexistent",
        "-H", /* for cuda_messages */
        "-include",
        "reprise/cuda.h",
        "-o",
        "-",
    };
    add(c, clang);
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        add(c, always[i]);
    add(c, arch);
    add(c, "-I");
    add(c, headers);
    add(c, map);
    char *rest = flags, *word;
    for (size_t i = 0; rest; i++) {
        if (!next_word(&rest, &word, err))
            return false;
        if (!word)
            break;
        if (i == MOST_FLAGS)
            return rp_fail(err, RP_USAGE, "--clang-flags: more than %d", MOST_FLAGS);
        add(c, word);
    }
    add(c, source);
    c->words[c->count] = NULL;
    return true;
}

/* Reads the pipe to its end and appends a NUL. NULL: out of memory. */
static char *read_pipe(int fd, size_t *size)
{
    size_t room = 1 << 16, n = 0;
    char *text = malloc(room);
    for (ssize_t got; text; n += (size_t)got) {
        if (room - n < 2) {
            char *more = realloc(text, room *= 2);
            if (!more)
                free(text);
            if (!(text = more))
                break;
        }
        got = read(fd, text + n, room - n - 1);
        if (got < 0 && errno == EINTR)
            got = 0;
        else if (got <= 0)
            break;
    }
    if (text)
        text[n] = 0;
    *size = n;
    return text;
}

static bool no_clang(const char *clang, int why, struct rp_error *err)
{
    return rp_fail(
        err, RP_SYSTEM,
        "cannot run '%s' (%s): CUDA source is compiled by clang, version 14 or later, with the NVPTX target. "
        "Install it (Debian: apt install clang), name one with CLANG=PATH, or give PTX",
        clang, strerror(why));
}

/* Runs clang; its messages go to `said`. */
static char *run(const struct command_words *c, FILE *said, const char *source, const char *headers, size_t *size,
                 struct rp_error *err)
{
    int ends[2], status = -1;
    pid_t child;
    posix_spawn_file_actions_t actions;
    if (pipe(ends)) {
        rp_fail(err, RP_SYSTEM, "cannot run clang: %s", strerror(errno));
        return NULL;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(said), STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int why = posix_spawnp(&child, c->words[0], &actions, NULL, (char *const *)c->words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    char *text = why ? NULL : read_pipe(ends[0], size);
    close(ends[0]);
    if (why) {
        no_clang(c->words[0], why, err);
        return NULL;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    bool compiled = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        compiled = no_clang(c->words[0], ENOENT, err);
    else
        compiled = cuda_messages(said, source, headers, compiled, err);
    if (compiled && !text)
        compiled = rp_fail(err, RP_SYSTEM, "%s: out of memory", source);
    if (compiled)
        return text;
    free(text);
    return NULL;
}

/* clang says "debug" of the target as soon as there is more than lines, and ptxas would not optimise then. */
static void undo_debug_target(char *text, size_t *size)
{
    static const char word[] = ", debug";
    char *target = strstr(text, "\n.target "), *end = target ? strchr(target + 1, '\n') : NULL;
    char *at = end ? strstr(target, word) : NULL;
    if (!at || at > end)
        return;
    memmove(at, at + strlen(word), *size + 1 - (size_t)(at + strlen(word) - text));
    *size -= strlen(word);
}

char *cuda_compile(const char *source, const char *target, const char *flags, size_t *size, struct rp_error *err)
{
    const char *given = getenv("CLANG"), *clang = given && *given ? given : "clang";
    char headers[PATH_MAX], map[PATH_MAX + 64], arch[64], *text = NULL, *copy;
    char here[PATH_MAX];
    struct command_words c = {.count = 0};
    if (access(source, R_OK)) {
        rp_fail(err, RP_BAD_INPUT, "cannot open '%s': %s", source, strerror(errno));
        return NULL;
    }
    if (*source == '-') { /* clang would take it for an option */
        snprintf(here, sizeof here, "./%s", source);
        source = here;
    }
    snprintf(arch, sizeof arch, "--cuda-gpu-arch=%.30s", target ? target : CUDA_TARGET);
    copy = flags ? strdup(flags) : NULL;
    if (flags && !copy) {
        rp_fail(err, RP_SYSTEM, "%s: out of memory", source);
    } else if (data_folder_find("cuda", "reprise/cuda.h", headers, err)) {
        snprintf(map, sizeof map, "-fdebug-prefix-map=%s/=", headers);
        FILE *said = tmpfile();
        if (!said)
            rp_fail(err, RP_SYSTEM, "%s: cannot make a temporary file: %s", source, strerror(errno));
        else if (build(&c, clang, source, arch, headers, map, copy, err))
            text = run(&c, said, source, headers, size, err);
        if (text && !(flags && strstr(flags, "-O0")))
            undo_debug_target(text, size);
        if (said)
            fclose(said);
    }
    free(copy);
    return text;
}
