/* A finding as a line of JSON. Written here instead of by a library, because libcuda.so.1 uses it inside other people's
 * programs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/check/finding.h"
#include "frontend/check/names.h"
#include "tracefmt/trace.h"

unsigned rp_utf8_bytes(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    unsigned bytes = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    for (unsigned i = 1; i < bytes; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    bool surrogate = c[0] == 0xed && c[1] > 0x9f,
         overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    return surrogate || overlong || (c[0] == 0xf4 && c[1] > 0x8f) ? 0 : bytes;
}

void rp_json_text(FILE *to, const char *text)
{
    putc('"', to);
    for (unsigned bytes; *text; text += bytes ? bytes : 1) {
        bytes = rp_utf8_bytes(text);
        if (*text == '"' || *text == '\\')
            fprintf(to, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(to, "\\u%04x", (unsigned char)*text);
        else
            fwrite(bytes ? text : "?", 1, bytes ? bytes : 1, to);
    }
    putc('"', to);
}

/* The text with readable names; the caller frees it. */
static char *readable(const char *text)
{
    char *plain = NULL;
    size_t size;
    FILE *to = open_memstream(&plain, &size);
    if (!to)
        return NULL;
    print_readable(to, text);
    return fclose(to) ? (free(plain), NULL) : plain;
}

static void put_readable(FILE *to, const char *text)
{
    char *plain = readable(text);
    rp_json_text(to, plain ? plain : text);
    free(plain);
}

/* Puts ", "key": "text"" unless the text is NULL. */
static void put_member(FILE *to, const char *key, const char *text)
{
    if (!text)
        return;
    fprintf(to, ", \"%s\": ", key);
    rp_json_text(to, text);
}

static void put_call(FILE *to, const char *function, const char *file, uint32_t line)
{
    fputs("{\"function\": ", to);
    put_readable(to, function ? function : "");
    put_member(to, "file", file);
    if (line)
        fprintf(to, ", \"line\": %" PRIu32, line);
    putc('}', to);
}

/* Writes the functions from the innermost one to the kernel. */
static void put_source(FILE *to, const struct rp_check_location *p, const char *kernel)
{
    const char *file = p->file;
    uint32_t line = p->line;
    fputs(", \"source\": [", to);
    for (uint32_t i = 0; i <= p->call_count; i++) {
        const struct rp_check_call *c = i < p->call_count ? &p->calls[i] : NULL;
        fputs(i ? ", " : "", to);
        put_call(to, c ? c->function : kernel, file, line);
        file = c ? c->file : NULL;
        line = c ? c->line : 0;
    }
    putc(']', to);
}

static void put_location(FILE *to, const struct rp_finding *f, const struct rp_check_location *p, bool access)
{
    const uint32_t *b = p->block, *t = p->thread;
    fprintf(to, "{\"instruction\": %" PRIu32 ", ", p->instruction);
    fprintf(to, "\"block\": [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "], ", b[0], b[1], b[2]);
    fprintf(to, "\"thread\": [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "]", t[0], t[1], t[2]);
    if (access)
        fprintf(to, ", \"access\": \"%s\"", check_access_name(p->access));
    put_member(to, "file", p->file);
    if (p->line)
        fprintf(to, ", \"line\": %" PRIu32, p->line);
    if (p->call_count)
        put_source(to, p, f->kernel ? f->kernel : "");
    putc('}', to);
}

static void put_stack(FILE *to, const struct rp_stack *s)
{
    fprintf(to, "{\"what\": \"%s\", \"frames\": [", s->what);
    for (uint32_t i = 0; i < s->count; i++) {
        fputs(i ? ", " : "", to);
        put_call(to, s->frames[i].function, s->frames[i].file, s->frames[i].line);
    }
    fputs("]}", to);
}

void rp_finding_write(const struct rp_finding *f, FILE *to)
{
    char *kernel = rp_finding_kernel(f);
    fprintf(to, "{\"kind\": \"%s\", \"severity\": \"%s\"", rp_finding_kind(f->kind), f->warning ? "warning" : "error");
    put_member(to, "kernel", kernel);
    put_member(to, "symbol", f->kernel);
    free(kernel);
    fputs(", \"text\": ", to);
    put_readable(to, f->text ? f->text : "");
    fprintf(to, ", \"times\": %" PRIu64 ", \"fingerprint\": \"%016" PRIx64 "\"", f->times, f->fingerprint);
    if (f->space != RP_SPACE_NONE)
        fprintf(to, ", \"space\": \"%s\", \"address\": %" PRIu64 ", \"size\": %" PRIu32,
                rp_space_name((enum rp_space)f->space), f->address, f->size);
    if (f->one) {
        fputs(", \"here\": ", to);
        put_location(to, f, &f->here, f->space != RP_SPACE_NONE);
    }
    if (f->two) {
        fputs(", \"other\": ", to);
        put_location(to, f, &f->other, true);
    }
    for (uint32_t i = 0; i < f->stack_count; i++) {
        fputs(i ? ", " : ", \"stacks\": [", to);
        put_stack(to, &f->stacks[i]);
    }
    fputs(f->stack_count ? "]" : "", to);
    fputs(f->suppressed ? ", \"suppressed\": true" : "", to);
    fputs(f->known ? ", \"known\": true}" : "}", to);
}
