#include "tools/replaying/options.h"

#include "tools/results/cache.h"

static bool set(bool *flag)
{
    if (flag)
        *flag = true;
    return flag;
}

static bool set_text(const char **text, const char *argument)
{
    if (text)
        *text = argument;
    return text;
}

static bool one_trace(struct command_line *line, const char **trace, const char *argument)
{
    if (trace && *trace)
        command_usage(line, "one trace at a time: '%s' is one too many", argument);
    return set_text(trace, argument);
}

static bool machine(struct command_line *line, int key, char *argument, struct machine_args *to)
{
    struct rp_error err;
    if (to && key == 's')
        command_check(line, machine_args_set(to, argument, &err), &err);
    return to && (key == 's' || set_text(&to->machine, argument));
}

static bool number(struct command_line *line, const char *option, const char *argument, long long most, long long *to)
{
    struct rp_error err;
    command_check(line, parse_number(option, argument, 0, most, to, &err), &err);
    return true;
}

static bool launch(struct command_line *line, const char *argument, int64_t *to)
{
    long long value = 0;
    if (to && number(line, "--launch", argument, UINT32_MAX, &value))
        *to = value;
    return to;
}

static bool threads(struct command_line *line, const char *argument, unsigned *to)
{
    struct rp_error err;
    if (to)
        command_check(line, parse_threads(argument, to, &err), &err);
    return to;
}

void cache_settle(struct command_line *line, const char **cache, bool keeps)
{
    struct rp_error err;
    if (*cache && keeps)
        command_check(line, result_cache_check(*cache, &err), &err);
    else
        *cache = NULL;
}

bool shared_option(struct command_line *line, int key, char *argument, const struct shared_values *to)
{
    switch (key) {
    case KEY_ARGUMENT: return one_trace(line, to->trace, argument);
    case 'm':
    case 's': return machine(line, key, argument, to->machine);
    case 'l': return launch(line, argument, to->launch);
    case 't': return threads(line, argument, to->threads);
    case KEY_TOP: return to->top && number(line, "--top", argument, INT64_MAX, to->top);
    case 'o': return set_text(to->output, argument);
    case KEY_CACHE: return set_text(to->cache, argument);
    case 'j': return set(to->json);
    case KEY_CSV: return set(to->csv);
    case 'q': return set(to->quiet);
    default: return false;
    }
}
