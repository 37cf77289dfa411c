/* Findings as JSON. Written here instead of by a library, because libcuda.so.1 uses it inside other people's programs.
 */
#include <inttypes.h>

#include "frontend/check/check.h"

/* Writes UTF-8; all names and texts are. */
static void put_text(FILE *to, const char *text)
{
    if (!text) {
        fputs("null", to);
        return;
    }
    putc('"', to);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(to, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(to, "\\u%04x", (unsigned char)*text);
        else
            putc(*text, to);
    putc('"', to);
}

/* Writes the functions from the innermost one to the kernel. */
static void put_source(FILE *to, const struct rp_check_location *p, const char *kernel)
{
    const char *file = p->file;
    uint32_t line = p->line;
    fputs(", \"source\": [", to);
    for (uint32_t i = 0; i <= p->call_count; i++) {
        const struct rp_check_call *c = i < p->call_count ? &p->calls[i] : NULL;
        fprintf(to, "%s{\"function\": ", i ? ", " : "");
        put_text(to, c ? c->function : kernel);
        fputs(", \"file\": ", to);
        put_text(to, file);
        fprintf(to, ", \"line\": %" PRIu32 "}", line);
        file = c ? c->file : NULL;
        line = c ? c->line : 0;
    }
    putc(']', to);
}

static void put_place(FILE *to, const struct rp_finding *f, const struct rp_check_location *p, bool access)
{
    const uint32_t *b = p->block, *t = p->thread;
    fprintf(to, "{\"instruction\": %" PRIu32 ", ", p->instruction);
    fprintf(to, "\"block\": [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "], ", b[0], b[1], b[2]);
    fprintf(to, "\"thread\": [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "]", t[0], t[1], t[2]);
    if (access)
        fprintf(to, ", \"access\": \"%s\"", check_access_name(p->access));
    if (p->file) {
        fputs(", \"file\": ", to);
        put_text(to, p->file);
    }
    if (p->line)
        fprintf(to, ", \"line\": %" PRIu32, p->line);
    if (p->call_count)
        put_source(to, p, f->kernel);
    putc('}', to);
}

static const char *name_of(enum rp_check_kind kind)
{
    return kind == RP_CHECK_INIT ? "init" : kind == RP_CHECK_RACE ? "race" : kind == RP_CHECK_SYNC ? "sync" : "memory";
}

static void put_finding(FILE *to, const struct rp_finding *f)
{
    fprintf(to, "{\"kind\": \"%s\", \"kernel\": ", name_of(f->kind));
    put_text(to, f->kernel ? f->kernel : "");
    fputs(", \"text\": ", to);
    put_text(to, f->text ? f->text : "");
    fprintf(to, ", \"times\": %" PRIu64, f->times);
    if (f->space != RP_SPACE_NONE)
        fprintf(to, ", \"space\": \"%s\", \"address\": %" PRIu64 ", \"size\": %" PRIu32,
                rp_space_name((enum rp_space)f->space), f->address, f->size);
    fputs(", \"here\": ", to);
    put_place(to, f, &f->here, f->space != RP_SPACE_NONE);
    if (f->two) {
        fputs(", \"other\": ", to);
        put_place(to, f, &f->other, true);
    }
    putc('}', to);
}

void rp_check_write_json(const struct rp_check *c, const char *fault, FILE *to)
{
    fputs("{\"findings\": [", to);
    for (size_t i = 0; i < rp_check_count(c); i++) {
        fputs(i ? ",\n  " : "\n  ", to);
        put_finding(to, rp_check_finding(c, i));
    }
    fprintf(to, "%s], \"findings_not_shown\": %" PRIu64, rp_check_count(c) ? "\n" : "", rp_check_dropped(c));
    if (rp_check_incomplete(c)) {
        fputs(", \"incomplete\": ", to);
        put_text(to, rp_check_incomplete(c));
    }
    if (fault) {
        fputs(", \"fault\": ", to);
        put_text(to, fault);
    }
    fputs("}\n", to);
}
