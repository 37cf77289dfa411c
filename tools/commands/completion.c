/* Completion in shells, made from the rows of struct command. Options come from the rows, actions from the lines of
 * `usage`, names of machines from "reprise machine list", values of options that have only some from the rows and
 * tables that they are read by. Every other word is completed as a file. */
#include <ctype.h>
#include <string.h>

#include "tools/commands/commands.h"
#include "tools/findings/findings.h"
#include "tools/lib/help.h"
#include "tools/replaying/replaying.h"
#include "tools/wcet/model.h"

static bool has_name(const struct option_row *o) { return o->name != NULL; }
static bool is_letter(const struct option_row *o) { return o->key > 0 && o->key < 128 && isalpha(o->key); }
static bool is_machine(const struct option_row *o)
{
    return has_name(o) && (!strcmp(o->name, "machine") || !strcmp(o->name, "device"));
}

/* Writes the actions of a command, separated by spaces: "list show options". An action is a word in small letters at
 * the beginning of a line of its usage. False: the command has none. */
static bool put_actions(FILE *to, const struct command *c)
{
    bool any = false;
    for (const char *line = c->usage; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        int length = (int)strspn(line, "abcdefghijklmnopqrstuvwxyz");
        if (length && to)
            fprintf(to, "%s%.*s", any ? " " : "", length, line);
        any |= length;
    }
    return any;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void put_checks(FILE *to)
{
    for (const struct help_row *r = check_rows; r->name; r++)
        fprintf(to, "%s%s", r == check_rows ? "" : " ", r->name);
}

static void put_policies(FILE *to)
{
    bool any = false;
    for (const struct model *const *m = built_in_models.of[KIND_SCHEDULER]; *m; m++)
        if (((const struct scheduler_model *)*m)->conserving) {
            fprintf(to, "%s%s", any ? " " : "", (*m)->name);
            any = true;
        }
}

static void put_assumptions(FILE *to)
{
    fputs("all", to);
    for (unsigned e = 0; e < WCET_EXTENSION_COUNT; e++)
        fprintf(to, " %s", wcet_extension_names[e]);
}

static void put_formats(FILE *to)
{
#define X(id, name, suffix) fputs(#name " ", to);
    FINDINGS_FORMATS(X)
#undef X
}

/* Options whose values stand in tables. argument: as in their rows, which tells those of one name apart. */
static const struct {
    const char *option, *argument;
    void (*put)(FILE *);
    bool list; /* several values, with commas between */
} tabled[] = {
    {"check", "LIST", put_checks, true},
    {"check", "POLICIES", put_policies, true},
    {"assume", "WHAT", put_assumptions, true},
    {"format", "FORMAT", put_formats, false},
};

/* Whether the argument is a list of words: "fast|reference". */
static bool is_enumeration(const char *argument)
{
    return argument && strchr(argument, '|') && !argument[strspn(argument, "abcdefghijklmnopqrstuvwxyz0123456789-|")];
}

/* Writes the values of an option, with spaces between. *list: they are given with commas between. False: it takes
 * others. to: NULL to ask only. */
static bool put_values(FILE *to, const struct option_row *o, bool *list)
{
    *list = false;
    if (is_enumeration(o->argument)) {
        for (const char *c = o->argument; to && *c; c++)
            fputc(*c == '|' ? ' ' : *c, to);
        return true;
    }
    for (size_t i = 0; o->argument && i < sizeof tabled / sizeof *tabled; i++)
        if (!strcmp(o->name, tabled[i].option) && !strcmp(o->argument, tabled[i].argument)) {
            *list = tabled[i].list;
            if (to)
                tabled[i].put(to);
            return true;
        }
    return false;
}

/* ---- bash -------------------------------------------------------------------------------------------------------- */

/* A list is completed behind its last comma. */
static void bash_values(FILE *to, const struct command *c, const struct option_row *o)
{
    bool list;
    if (!put_values(NULL, o, &list))
        return;
    fprintf(to, "    %s:--%s) COMPREPLY=($(compgen ", c->name, o->name);
    if (list)
        fputs("-P \"$([[ $cur != *,* ]] || echo \"${cur%,*},\")\" ", to);
    fputs("-W '", to);
    put_values(to, o, &list);
    fprintf(to, "' -- \"%s\")); return ;;\n", list ? "${cur##*,}" : "$cur");
}

static void bash(FILE *to)
{
    fputs("# bash completion for reprise\n"
          "_reprise() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= actions=\n"
          "    [ \"$prev\" != = ] || prev=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    [ \"$cur\" != = ] || cur=\n"
          "    if [ \"$COMP_CWORD\" = 1 ] || { [ \"$COMP_CWORD\" = 2 ] && [ \"${COMP_WORDS[1]}\" = help ]; }; then\n"
          "        local topics=\n"
          "        [ \"$COMP_CWORD\" = 1 ] || topics='",
          to);
    for (const struct topic *const *t = topics; *t; t++)
        fprintf(to, "%s ", (*t)->name);
    fputs("'\n        COMPREPLY=($(compgen -W \"$topics\"'", to);
    for (const struct command *const *c = commands; *c; c++)
        fprintf(to, " %s", (*c)->name);
    fputs(" help version' -- \"$cur\"))\n"
          "        return\n"
          "    fi\n"
          "    case ${COMP_WORDS[1]}:$prev in\n"
          "    *:-m | *:--machine | *:--device | machine:show | machine:diff)\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$(reprise machine list 2>/dev/null | cut -d' ' -f1)\" -- "
          "\"$cur\"\n"
          "            compgen -f -- \"$cur\")\n"
          "        return ;;\n"
          "    *:-s | *:--set | *:-v | *:--vary)\n"
          "        COMPREPLY=($(compgen -S = -W \"$(reprise machine options --csv 2>/dev/null | sed '1d; s/,.*//; "
          "/[A-Z]/d' | sort -u)\" -- \"$cur\"))\n"
          "        compopt -o nospace 2>/dev/null\n"
          "        return ;;\n",
          to);
    for (const struct command *const *c = commands; *c; c++)
        for (const struct option_row *o = (*c)->options; o->name || o->help; o++)
            if (has_name(o))
                bash_values(to, *c, o);
    fputs("    esac\n"
          "    # --set KEY=, where bash takes = for a word\n"
          "    local behind=${COMP_WORDS[COMP_CWORD-1]} option=\n"
          "    [ \"$behind\" = = ] || [ \"${COMP_WORDS[COMP_CWORD]}\" = = ] || behind=\n"
          "    [ -z \"$behind\" ] || option=${COMP_WORDS[COMP_CWORD-3]-}\n"
          "    [ \"${COMP_WORDS[COMP_CWORD]}\" != = ] || { option=${COMP_WORDS[COMP_CWORD-2]-}; "
          "prev=${COMP_WORDS[COMP_CWORD-1]}; }\n"
          "    case $option in\n"
          "    -s | --set | -v | --vary)\n"
          "        COMPREPLY=($(compgen -W \"$(reprise machine options --csv 2>/dev/null | sed -n "
          "\"s/^$prev,\\\"\\([^\\\"]*\\)\\\".*/\\1/p; t; s/^$prev,\\([^,]*\\),.*/\\1/p\" | tr -d , | tr ' ' '\\n' | "
          "sort -u)\" -- \"${cur##*,}\"))\n"
          "        return ;;\n"
          "    esac\n"
          "    case ${COMP_WORDS[1]} in\n",
          to);
    for (const struct command *const *c = commands; *c; c++) {
        fprintf(to, "    %s) words='", (*c)->name);
        for (const struct option_row *o = (*c)->options; o->name || o->help; o++)
            if (has_name(o))
                fprintf(to, "--%s ", o->name);
        fputs("--help --version'", to);
        if (put_actions(NULL, *c)) {
            fputs(" actions='", to);
            put_actions(to, *c);
            fputc('\'', to);
        }
        fputs(" ;;\n", to);
    }
    fputs("    esac\n"
          "    case $cur in\n"
          "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
          "    *)  if [ \"$COMP_CWORD\" = 2 ] && [ -n \"$actions\" ]; then\n"
          "            COMPREPLY=($(compgen -W \"$actions\" -- \"$cur\"))\n"
          "        else\n"
          "            mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
          "        fi ;;\n"
          "    esac\n"
          "}\n"
          "complete -o filenames -F _reprise reprise\n",
          to);
}

/* ---- zsh --------------------------------------------------------------------------------------------------------- */

/* Quotes a text for the inside of single quotes, where brackets and colons have a meaning. */
static void zsh_text(FILE *to, const char *s)
{
    for (; *s; s++) {
        if (strchr("[]:\\", *s))
            fputc('\\', to);
        if (*s == '\'')
            fputs("'\\'", to);
        fputc(*s, to);
    }
}

static void zsh_option(FILE *to, const struct option_row *o)
{
    fprintf(to, "            '*--%s%s[", o->name, o->argument ? "=" : "");
    zsh_text(to, o->help);
    fputc(']', to);
    if (o->argument) {
        fputc(':', to);
        zsh_text(to, o->argument);
        bool list;
        if (put_values(NULL, o, &list)) {
            fputs(list ? ":_values -s , value " : ":(", to);
            put_values(to, o, &list);
            fputs(list ? "" : ")", to);
        } else {
            fputs(is_machine(o) ? ":_reprise_machines" : ":_files", to);
        }
    }
    fputs("' \\\n", to);
}

static void zsh(FILE *to)
{
    fputs(
        "#compdef reprise\n"
        "_reprise_machines() { _alternative \"machines:machine:($(reprise machine list 2>/dev/null | cut -d' ' -f1))\" "
        "'files:file:_files' }\n"
        "_reprise() {\n"
        "    local -a commands\n"
        "    commands=(\n",
        to);
    for (const struct command *const *c = commands; *c; c++) {
        fprintf(to, "        '%s:", (*c)->name);
        zsh_text(to, (*c)->summary);
        fputs("'\n", to);
    }
    fputs("        'help:describe a command or a topic'\n"
          "        'version:print the version'\n"
          "    )\n"
          "    [[ $words[2] != help ]] || commands+=(\n",
          to);
    for (const struct topic *const *t = topics; *t; t++) {
        fprintf(to, "        '%s:", (*t)->name);
        zsh_text(to, (*t)->summary);
        fputs("'\n", to);
    }
    fputs("    )\n"
          "    if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    case $words[2] in\n",
          to);
    for (const struct command *const *c = commands; *c; c++) {
        fprintf(to, "    %s)\n        _arguments \\\n", (*c)->name);
        for (const struct option_row *o = (*c)->options; o->name || o->help; o++)
            if (has_name(o))
                zsh_option(to, o);
        if (put_actions(NULL, *c)) {
            fputs("            '2:action:(", to);
            put_actions(to, *c);
            fputs(")' '3:machine:_reprise_machines' \\\n", to);
        }
        fputs("            '*:file:_files' ;;\n", to);
    }
    fputs("    esac\n}\n_reprise \"$@\"\n", to);
}

/* ---- fish -------------------------------------------------------------------------------------------------------- */

static void fish_text(FILE *to, const char *s)
{
    fputc('\'', to);
    for (; *s; s++) {
        if (*s == '\'' || *s == '\\')
            fputc('\\', to);
        fputc(*s, to);
    }
    fputc('\'', to);
}

static void fish_option(FILE *to, const char *command, const struct option_row *o)
{
    bool list;
    fprintf(to, "complete -c reprise -n '__fish_seen_subcommand_from %s' -l %s", command, o->name);
    if (is_letter(o))
        fprintf(to, " -s %c", o->key);
    if (is_machine(o))
        fputs(" -r -a '(reprise machine list 2>/dev/null | cut -d\" \" -f1)'", to);
    else if (put_values(NULL, o, &list)) {
        fputs(" -x -a '", to);
        put_values(to, o, &list);
        fputc('\'', to);
    } else if (o->argument && *o->argument != '[')
        fputs(" -r", to);
    fputs(" -d ", to);
    fish_text(to, o->help);
    fputc('\n', to);
}

static void fish_actions(FILE *to, const struct command *c)
{
    fprintf(to, "complete -c reprise -n '__fish_seen_subcommand_from %s; and not __fish_seen_subcommand_from ",
            c->name);
    put_actions(to, c);
    fputs("' -f -a '", to);
    put_actions(to, c);
    fprintf(to,
            "'\ncomplete -c reprise -n '__fish_seen_subcommand_from %s; and __fish_seen_subcommand_from show' "
            "-a '(reprise machine list 2>/dev/null | cut -d\" \" -f1)'\n",
            c->name);
}

static void fish(FILE *to)
{
    fputs("# fish completion for reprise\n", to);
    for (const struct command *const *c = commands; *c; c++) {
        fprintf(to, "complete -c reprise -n __fish_use_subcommand -f -a %s -d ", (*c)->name);
        fish_text(to, (*c)->summary);
        fputc('\n', to);
    }
    fputs("complete -c reprise -n __fish_use_subcommand -f -a help -d 'describe a command or a topic'\n"
          "complete -c reprise -n __fish_use_subcommand -f -a version -d 'print the version'\n",
          to);
    fputs("complete -c reprise -n '__fish_seen_subcommand_from help' -f -a '", to);
    for (const struct command *const *c = commands; *c; c++)
        fprintf(to, "%s ", (*c)->name);
    for (const struct topic *const *t = topics; *t; t++)
        fprintf(to, "%s%s", (*t)->name, t[1] ? " " : "'\n");
    for (const struct command *const *c = commands; *c; c++) {
        for (const struct option_row *o = (*c)->options; o->name || o->help; o++)
            if (has_name(o))
                fish_option(to, (*c)->name, o);
        if (put_actions(NULL, *c))
            fish_actions(to, *c);
    }
}

bool completion(const char *shell, FILE *to)
{
    static const struct {
        const char *name;
        void (*print)(FILE *);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (!strcmp(shells[i].name, shell)) {
            shells[i].print(to);
            return true;
        }
    return false;
}
