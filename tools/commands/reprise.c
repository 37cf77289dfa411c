/* reprise: finds the subcommand and runs it. */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/loader/ptxas.h"
#include "tools/commands/commands.h"
#include "tools/lib/cleanup.h"
#include "tools/lib/help.h"
#include "tools/ui/nearest.h"
#include "tools/ui/style.h"

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "tools/commands/commands.def"
#undef COMMAND
    NULL,
};

/* NULL: there is no command of this name. */
static const struct command *find(const char *name)
{
    const struct command *const *c = commands;
    while (*c && strcmp((*c)->name, name))
        c++;
    return *c;
}

/* Whether the name is the topic's, or the singular of it: topics are named in the plural. */
static bool names_topic(const char *name, const struct topic *t)
{
    size_t n = strlen(name);
    return !strncmp(t->name, name, n) && n && (!t->name[n] || !strcmp(t->name + n, "s") || !strcmp(t->name + n, "es"));
}

static const struct topic *find_topic(const char *name)
{
    const struct topic *const *t = topics;
    if (find(name))
        return NULL;
    while (*t && !names_topic(name, *t))
        t++;
    return *t;
}

/* Says that there is no such command or, behind help, no such topic either; names the nearest, or all. */
static void unknown(const char *name, bool behind_help)
{
    struct rp_error err;
    const char *names[sizeof commands / sizeof *commands + MOST_TOPICS + 2];
    char all[256] = "";
    size_t count = 0;
    for (const struct command *const *c = commands; *c; c++)
        names[count++] = (*c)->name;
    for (const struct topic *const *t = topics; *t && behind_help; t++) {
        names[count++] = (*t)->name;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", *all ? ", " : "", (*t)->name);
    }
    names[count++] = "help";
    names[count++] = "version";
    const char *near = nearest_name(name, names, count), *what = behind_help ? "command or topic" : "command";
    if (near)
        rp_fail(&err, RP_USAGE, "unknown %s '%s'; did you mean '%s'?", what, name, near);
    else if (!behind_help && find_topic(name))
        rp_fail(&err, RP_USAGE, "unknown command '%s'; 'reprise help %s' describes this topic", name, name);
    else if (behind_help)
        rp_fail(&err, RP_USAGE,
                "'%s' is neither a command nor a topic; 'reprise help' lists both, and the topics are %s", name, all);
    else
        rp_fail(&err, RP_USAGE, "unknown command '%s'; 'reprise help' lists them", name);
    command_fail(&err);
}

/* False, and a message was printed: there are words behind those that the command takes. */
static bool ends(int argc, char **argv, int taken)
{
    struct rp_error err;
    if (argc <= taken)
        return true;
    rp_fail(&err, RP_USAGE, "'%s' is one word too many", argv[taken]);
    command_fail(&err);
    return false;
}

/* help, help COMMAND or TOPIC, help --man [COMMAND or TOPIC], help --completion SHELL. */
static int help(int argc, char **argv)
{
    struct rp_error err;
    static const char *const all[] = {"help", "version", "-h", "--help", "-V", "--version"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (argc && !strcmp(argv[0], all[i]))
            argc = 0;
    bool manual = argc && !strcmp(argv[0], "--man"), shell = argc && !strcmp(argv[0], "--completion");
    const char *name = argc > manual + shell ? argv[manual + shell] : NULL;
    if (!ends(argc, argv, manual + shell + 1))
        return RP_USAGE;
    if (shell && (!name || !completion(name, stdout))) {
        rp_fail(&err, RP_USAGE, "help --completion: there are bash, zsh and fish");
        return command_fail(&err);
    }
    if (shell)
        return RP_OK;
    const struct topic *t = name ? find_topic(name) : NULL;
    const struct command *c = name && !t ? find(name) : NULL;
    if (name && !c && !t) {
        unknown(name, true);
        return RP_USAGE;
    }
    if (t) {
        (manual ? manual_topic : help_topic)(t, stdout);
        return RP_OK;
    }
    if (manual)
        c ? manual_command(c, stdout) : manual_all(stdout);
    else
        c ? help_command(c, stdout) : help_all(commands, topics, stdout);
    return RP_OK;
}

/* Keeps the file numbers of closed standard streams in use: no file that is opened later gets them, and writing to such
 * a stream fails. */
static void hold_standard_streams(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

static void on_file_limit(int number) { (void)number; }

/* A file that may not become longer is an error of the write (EFBIG). The handler is not inherited by programs that are
 * started; where the signal is ignored already, it is ignored in them, too. */
static void survive_file_limit(void)
{
    struct sigaction before;
    if (!sigaction(SIGXFSZ, NULL, &before) && before.sa_handler != SIG_IGN)
        signal(SIGXFSZ, on_file_limit);
}

/* What the environment says wrongly would be passed over where it is used. */
static bool environment_is_valid(struct rp_error *err)
{
    const char *simd = getenv("REPRISE_SIMD"), *folder = getenv("REPRISE_MACHINES");
    struct stat there;
    if (simd && (strlen(simd) != 1 || *simd < '2' || *simd > '4'))
        return rp_fail(err, RP_USAGE, "REPRISE_SIMD is '%s' in the environment; there are 2, 3 and 4", simd);
    if (folder && *folder && (stat(folder, &there) || !S_ISDIR(there.st_mode)))
        return rp_fail(err, RP_USAGE, "REPRISE_MACHINES is '%s' in the environment, which is no folder", folder);
    return true;
}

int main(int argc, char **argv)
{
    hold_standard_streams();
    survive_file_limit();
    cleanup_begin(style_terminal(stderr));
    cleanup_call(ptxas_abandon);
    command_know(commands);
    if (argc < 2) {
        help_all(commands, topics, stderr);
        return RP_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
        return command_finish(help(argc - 2, argv + 2));
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V") || !strcmp(argv[1], "version")) {
        bool asks = argc == 3 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h"));
        if (asks)
            return command_finish(help(0, NULL));
        if (!ends(argc, argv, 2))
            return RP_USAGE;
        puts("reprise " REPRISE_VERSION);
        return command_finish(RP_OK);
    }
    const struct command *c = find(argv[1]);
    struct rp_error err;
    if (!c)
        unknown(argv[1], false);
    else if (!environment_is_valid(&err))
        return command_fail(&err);
    return c ? command_finish(c->run(c, argc - 1, argv + 1)) : RP_USAGE;
}
