#include "tools/asm/labels.h"

#include <stdio.h>
#include <string.h>

#include "frontend/loader/isa.h"
#include "tools/asm/lines.h"

const struct isa *isa_of_target(const char *name, unsigned *sm, bool *accelerators)
{
    char more[3] = "";
    int parts = sscanf(name, "sm_%u%2s", sm, more);
    *accelerators = parts == 2 && *sm == 90 && !strcmp(more, "a");
    return parts == 1 || *accelerators ? isa_of_sm(*sm) : NULL;
}

/* ---- labels -------------------------------------------------------------------------------------------------------
 */

static const struct label *find(const struct labels *l, const char *function, const char *name, size_t length)
{
    for (uint32_t i = 0; i < l->all.count; i++) {
        const struct label *at = &l->all.at[i];
        if (!strncmp(at->name, name, length) && !at->name[length] && !strcmp(at->function, function))
            return at;
    }
    return NULL;
}

bool labels_read(struct labels *l, struct arena *arena, const char *file, const char *text, const struct isa *isa,
                 struct rp_error *err)
{
    enum { MOST_BYTES = 16 };
    struct listing_reader r = {arena_string(arena, text, strlen(text)), 0, isa ? isa->word_bytes : MOST_BYTES};
    struct listing_line line;
    struct assembly at = {0};
    const char *function = "";
    unsigned sm;
    bool accelerators;
    while (listing_next(&r, &line)) {
        if (line.kind == LINE_TARGET || line.kind == LINE_FLAGS) {
            const struct isa *named = isa_of_target(line.name, &sm, &accelerators);
            isa = named ? named : isa;
            r.word_bytes = isa ? isa->word_bytes : MOST_BYTES;
        } else if (line.kind == LINE_FUNCTION) {
            function = line.name ? line.name : "";
            at.size = 0;
        } else if (line.kind == LINE_INSTRUCTION && isa) {
            at.size = isa->next_address(isa, &at) + isa->word_bytes;
        } else if (line.kind == LINE_LABEL) {
            if (find(l, function, line.name, strlen(line.name)))
                return rp_fail(err, RP_BAD_INPUT, "%s:%u: label '%s' comes a second time in its function", file,
                               line.number, line.name);
            VECTOR_PUSH(arena, &l->all, (struct label){function, line.name, at.size});
        }
    }
    return true;
}

const char *labels_resolve(const struct labels *l, struct arena *arena, const char *function, const char *text)
{
    const char *open = strstr(text, "`("), *end = open ? strchr(open, ')') : NULL;
    if (!end)
        return text;
    const struct label *at = find(l, function, open + 2, (size_t)(end - open - 2));
    if (!at)
        return text;
    return arena_printf(arena, "%.*s0x%x%s", (int)(open - text), text, at->address, end + 1);
}

/* ---- operands that the linker fills in ----------------------------------------------------------------------------
 */

const char *linked_operand(const char *text, size_t *length)
{
    const char *open = strstr(text, "`("), *mark = strchr(text, '@');
    if (!open) {
        while (mark && strncmp(mark, "@lo(", 4) != 0 && strncmp(mark, "@hi(", 4) != 0 && strncmp(mark, "@fun", 4) != 0)
            mark = strchr(mark + 1, '@');
        for (open = mark; open && open > text && open[-1] != ' ' && open[-1] != '[' && open[-1] != '+';)
            open--;
    }
    if (!open)
        return NULL;
    int depth = 0;
    const char *end = open;
    do {
        depth += (*end == '(') - (*end == ')');
        end++;
    } while (*end && (depth || end[-1] != ')'));
    *length = (size_t)(end - open);
    return open;
}

struct printed {
    uint32_t address;
    char text[512];
};

static void keep(void *data, uint32_t address, const char *text, struct isa_word word)
{
    struct printed *p = data;
    (void)word;
    if (text && address == p->address)
        snprintf(p->text, sizeof p->text, "%s", text);
}

static void put_word(uint8_t *to, unsigned bytes, struct isa_word word)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)((i < 8 ? word.lo : word.hi) >> 8 * (i % 8));
}

/* The text of a word that comes next, with the control bits that its bundle has. */
static void print_next(const struct isa *isa, const struct assembly *code, struct isa_word word, struct printed *to)
{
    enum { MOST_GRANULE = 32 };
    uint8_t bundle[MOST_GRANULE] = {0};
    struct rp_error err;
    uint32_t next = isa->next_address(isa, code), first = next / isa->granule * isa->granule;
    *to = (struct printed){.address = next - first};
    if (next > code->size) /* the bundle begins here */
        put_word(bundle, isa->word_bytes, (struct isa_word){code->has_control ? code->control : 0, 0});
    else if (next > first)
        memcpy(bundle, code->bytes + first, next - first);
    put_word(bundle + to->address, isa->word_bytes, word);
    isa->disassemble(isa, &(struct machine_code){bundle, isa->granule, code->sm}, keep, to, &err);
}

bool is_linked(const struct isa *isa, const struct assembly *code, const char *text, struct isa_word word)
{
    struct printed ours;
    size_t length = 0;
    const char *operand = linked_operand(text, &length);
    if (!operand)
        return false;
    print_next(isa, code, word, &ours);
    size_t before = (size_t)(operand - text), all = strlen(ours.text), after = strlen(operand + length);
    return all > before + after && !strncmp(ours.text, text, before) &&
           !strcmp(ours.text + all - after, operand + length);
}
