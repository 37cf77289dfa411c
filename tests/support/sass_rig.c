#include "tests/support/sass_rig.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "frontend/isa/sass/disasm.h"
#include "tests/support/cubin_image.h"

extern const struct sass_table sass5x_table, sass7x_table; /* the headers of both do not go together */

enum { MAX_WORDS = 4096, MAX_LABELS = 512, LINE = 128 };

/* ---- text to code ------------------------------------------------------------------------------------------------ */

struct label {
    char name[32];
    uint32_t address;
};
struct source {
    unsigned sm, label_count, word_count;
    struct label labels[MAX_LABELS];
    uint64_t words[MAX_WORDS];
};

static const struct sass_table *table_of(unsigned sm) { return sm < 70 ? &sass5x_table : &sass7x_table; }
static unsigned words_of(unsigned sm) { return table_of(sm)->word_bytes / 8; }

/* The next line without blanks at its ends; NULL after the last. */
static const char *next_line(const char *text, char line[LINE])
{
    text += strspn(text, " \n");
    if (!*text)
        return NULL;
    size_t n = strcspn(text, "\n");
    cr_assert_lt(n, LINE);
    memcpy(line, text, n);
    while (n && line[n - 1] == ' ')
        n--;
    line[n] = 0;
    return text + strcspn(text, "\n");
}

static void find_labels(struct source *s, const char *text)
{
    char line[LINE];
    unsigned count = 0;
    while ((text = next_line(text, line))) {
        size_t n = strlen(line);
        if (line[n - 1] != ':') {
            count++;
            continue;
        }
        struct label *l = &s->labels[s->label_count++];
        cr_assert_lt(s->label_count, (unsigned)MAX_LABELS);
        snprintf(l->name, sizeof l->name, "%.*s", (int)n - 1, line);
        l->address = sass_address(table_of(s->sm), count);
    }
}

uint32_t sass_label(const char *text, const char *name) { return sass_label_of(61, text, name); }

uint32_t sass_label_of(unsigned sm, const char *text, const char *name)
{
    static struct source s;
    s = (struct source){.sm = sm};
    find_labels(&s, text);
    for (unsigned i = 0; i < s.label_count; i++)
        if (!strcmp(s.labels[i].name, name))
            return s.labels[i].address;
    cr_assert_fail("no label %s", name);
    return 0;
}

static void put_address(const struct source *s, char line[LINE])
{
    char *from = strchr(line, '<'), *to = from ? strchr(from, '>') : NULL, rest[LINE];
    if (!to)
        return;
    snprintf(rest, sizeof rest, "%s", to + 1);
    for (unsigned i = 0; i < s->label_count; i++)
        if (strlen(s->labels[i].name) == (size_t)(to - from - 1) &&
            !strncmp(s->labels[i].name, from + 1, (size_t)(to - from - 1))) {
            snprintf(from, (size_t)(line + LINE - from), "0x%x%s", s->labels[i].address, rest);
            return;
        }
    cr_assert_fail("no label in '%s'", line);
}

/* A line as an instruction, or as the word that it is. */
static bool assemble_line(const struct source *s, const char *line, unsigned number, struct isa_word *word,
                          struct rp_error *err)
{
    const struct sass_table *t = table_of(s->sm);
    const struct sass_site site = {t, t->arch(s->sm), sass_address(t, number)};
    uint32_t control;
    return isa_word_read(line, t->word_bytes, word) || sass_assemble(&site, line, word, &control, err);
}

/* Fills up the last bundle; returns how many instructions the text has. */
static unsigned assemble(struct source *s, const char *text)
{
    char line[LINE];
    unsigned count = 0;
    while ((text = next_line(text, line))) {
        struct isa_word word;
        struct rp_error err;
        if (line[strlen(line) - 1] == ':')
            continue;
        cr_assert_lt(s->word_count, (unsigned)MAX_WORDS - 4);
        put_address(s, line);
        if (!assemble_line(s, line, count++, &word, &err))
            cr_assert_fail("sm_%u: '%s': %s", s->sm, line, err.text);
        s->words[s->word_count++] = word.lo;
        if (words_of(s->sm) > 1)
            s->words[s->word_count++] = word.hi;
    }
    while (s->sm < 70 && s->word_count % 3)
        s->words[s->word_count++] = sass5x_table.nop.lo;
    return count;
}

bool sass_has(unsigned sm, const char *line)
{
    const struct source s = {.sm = sm};
    struct isa_word word;
    struct rp_error err;
    return assemble_line(&s, line, 0, &word, &err);
}

unsigned sass_words(unsigned sm, const char *text, uint64_t *words, unsigned size)
{
    static struct source s;
    s = (struct source){.sm = sm};
    find_labels(&s, text);
    unsigned count = assemble(&s, text);
    for (unsigned i = 0; i < count * words_of(sm) && i < size; i++)
        words[i] = s.words[i];
    return count;
}

uint8_t *sass_cubin(unsigned sm, const char *text, bool relocatable, size_t *size)
{
    static struct source s;
    s = (struct source){.sm = sm};
    find_labels(&s, text);
    assemble(&s, text);
    return cubin_image(sm, s.words, s.word_count, relocatable, size);
}

/* ---- cubin to launch --------------------------------------------------------------------------------------------- */

bool sass_rig_load(struct sass_rig *r, unsigned sm, const char *text, size_t bytes)
{
    size_t size;
    uint8_t *cubin = sass_cubin(sm, text, false, &size);
    memset(r, 0, sizeof *r);
    r->device = rp_device_new(&r->err);
    cr_assert_not_null(r->device);
    struct module *m = module_load_bytes("test.cubin", cubin, size, 0, &r->err);
    free(cubin);
    if (!m || !rp_device_adopt(r->device, m, &r->err))
        return false;
    r->address = rp_alloc(r->device, bytes, "buffer", &r->err);
    r->buffer = rp_host(r->device, r->address, bytes);
    cr_assert_not_null(r->buffer);
    r->program = module_find(m, NULL, &r->err);
    return r->program;
}

void sass_rig_open(struct sass_rig *r, unsigned sm, const char *text, size_t bytes)
{
    if (!sass_rig_load(r, sm, text, bytes))
        cr_assert_fail("%s\n%s", r->err.text, text);
}

bool sass_rig_run(struct sass_rig *r, uint32_t grid, uint32_t block, const uint32_t words[4])
{
    uint64_t params[3] = {r->address};
    if (words)
        memcpy(&params[1], words, 16);
    r->config.params = params;
    r->config.threads = 1;
    r->config.grid[0] = grid;
    r->config.block[0] = block;
    r->config.grid[1] = r->config.grid[2] = r->config.block[1] = r->config.block[2] = 1;
    return rp_launch_kernel(r->device, r->program, &r->config, &r->result, &r->err);
}

void sass_rig_close(struct sass_rig *r) { rp_device_free(r->device); }
