/* Profiles as files: CSV, and protobuf (phases.proto). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output.h"
#include "tools/wcet/phases.pb-c.h"
#include "tools/wcet/profile.h"

struct wcet_profile_file {
    struct output *out;
    bool protobuf;
};

static bool cannot_write(const struct wcet_profile_file *f, struct rp_error *err)
{
    return rp_fail(err, RP_SYSTEM, "cannot write '%s': %s", f->out->path, strerror(errno));
}

/* Field 5 of Profile is repeated and messages concatenate, so launches are appended one by one. */
static bool append(struct wcet_profile_file *f, const Reprise__Wcet__Profile *part, struct rp_error *err)
{
    size_t size = reprise__wcet__profile__get_packed_size(part);
    uint8_t *bytes = malloc(size ? size : 1);
    bool fine = bytes;
    if (fine) {
        reprise__wcet__profile__pack(part, bytes);
        fine = fwrite(bytes, 1, size, f->out->to) == size;
    }
    free(bytes);
    return fine || cannot_write(f, err);
}

static bool begin(struct wcet_profile_file *f, const struct rp_trace *t, const struct machine *m, struct rp_error *err)
{
    if (!f->protobuf)
        return fputs("launch,block,warp,section,start,duration,kind,instructions\n", f->out->to) >= 0 ||
               cannot_write(f, err);
    Reprise__Wcet__Profile head = REPRISE__WCET__PROFILE__INIT;
    const char *hash = rp_trace_sha256((struct rp_trace *)t, err);
    if (!hash)
        return false;
    head.tool = (char *)"reprise " REPRISE_VERSION;
    head.trace_sha256 = (char *)hash;
    head.machine = (char *)m->name;
    head.machine_hash = (char *)m->hash;
    return append(f, &head, err);
}

struct wcet_profile_file *wcet_profile_open(const char *path, const struct rp_trace *t, const struct machine *m,
                                            struct rp_error *err)
{
    struct wcet_profile_file *f = calloc(1, sizeof *f);
    size_t length = strlen(path);
    if (!f) {
        rp_fail(err, RP_SYSTEM, "out of memory for '%s'", path);
        return NULL;
    }
    f->protobuf = length > 3 && !strcmp(path + length - 3, ".pb");
    if ((f->out = output_open(path, err)) && begin(f, t, m, err))
        return f;
    wcet_profile_close(f, false, NULL);
    return NULL;
}

bool wcet_profile_tells_instants(const struct wcet_profile_file *f) { return f->protobuf; }

bool wcet_profile_close(struct wcet_profile_file *f, bool keep, struct rp_error *err)
{
    bool fine = f && output_close(f->out, keep, err);
    free(f);
    return fine;
}

/* ---- CSV -----------------------------------------------------------------------------------------------------------
 */

static bool write_csv(struct wcet_profile_file *f, const struct wcet_profile *p, struct rp_error *err)
{
    for (size_t i = 0; i < p->phase_count; i++) {
        const struct wcet_profile_phase *e = &p->phases[i];
        fprintf(f->out->to, "%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%s,%" PRIu64 "\n",
                p->launch, e->place.block, e->place.warp, e->place.section, e->phase.start, e->phase.duration,
                e->phase.kind == WCET_EXEC ? "exec" : "idle", e->phase.instructions);
    }
    return !ferror(f->out->to) || cannot_write(f, err);
}

/* ---- protobuf ------------------------------------------------------------------------------------------------------
 */

/* Everything that a launch's message is made of, allocated at once per kind. */
struct message {
    Reprise__Wcet__Launch launch, *launches[1];
    Reprise__Wcet__Warp *warps, **warp_list;
    Reprise__Wcet__Section *sections, **section_list;
    Reprise__Wcet__Phase *phases, **phase_list;
    uint32_t *instruction;
    uint64_t *issue, *dispatch, *writeback;
    char **texts;
    size_t warp_count, section_count;
};

static bool allocate(struct message *m, const struct rp_kernel *k, const struct wcet_profile *p)
{
    size_t phases = p->phase_count + 1, instants = p->instant_count + 1;
    m->warps = calloc(phases, sizeof *m->warps);
    m->warp_list = calloc(phases, sizeof(void *));
    m->sections = calloc(phases, sizeof *m->sections);
    m->section_list = calloc(phases, sizeof(void *));
    m->phases = calloc(phases, sizeof *m->phases);
    m->phase_list = calloc(phases, sizeof(void *));
    m->instruction = calloc(instants, sizeof *m->instruction);
    m->issue = calloc(instants, sizeof *m->issue);
    m->dispatch = calloc(instants, sizeof *m->dispatch);
    m->writeback = calloc(instants, sizeof *m->writeback);
    m->texts = calloc(k->instruction_count + 1, sizeof *m->texts);
    return m->warps && m->warp_list && m->sections && m->section_list && m->phases && m->phase_list && m->instruction &&
           m->issue && m->dispatch && m->writeback && m->texts;
}

static void release(struct message *m)
{
    void *all[] = {m->warps,       m->warp_list, m->sections, m->section_list, m->phases, m->phase_list,
                   m->instruction, m->issue,     m->dispatch, m->writeback,    m->texts};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* The instants of the section begin at `at`; they are sorted as the phases are. */
static size_t add_instants(struct message *m, Reprise__Wcet__Section *s, const struct wcet_profile *p,
                           const struct wcet_profile_phase *of, size_t at)
{
    s->instruction = &m->instruction[at];
    s->issue = &m->issue[at];
    s->dispatch = &m->dispatch[at];
    s->writeback = &m->writeback[at];
    for (; at < p->instant_count; at++, s->n_instruction++) {
        const struct wcet_profile_instant *i = &p->instants[at];
        if (i->place.block != of->place.block || i->place.warp != of->place.warp ||
            i->place.section != of->place.section)
            break;
        m->instruction[at] = i->instant.index;
        m->issue[at] = i->instant.issue;
        m->dispatch[at] = i->instant.dispatch;
        m->writeback[at] = i->instant.writeback;
    }
    s->n_issue = s->n_dispatch = s->n_writeback = s->n_instruction;
    return at;
}

static void fill(struct message *m, const struct wcet_profile *p)
{
    size_t instant = 0;
    for (size_t i = 0; i < p->phase_count; i++) {
        const struct wcet_profile_phase *e = &p->phases[i], *before = i ? e - 1 : NULL;
        bool new_warp = !before || before->place.block != e->place.block || before->place.warp != e->place.warp;
        if (new_warp) {
            Reprise__Wcet__Warp *w = m->warp_list[m->warp_count] = &m->warps[m->warp_count];
            m->warp_count++;
            reprise__wcet__warp__init(w);
            w->block = e->place.block;
            w->number = e->place.warp;
            w->sections = &m->section_list[m->section_count];
        }
        if (new_warp || before->place.section != e->place.section) {
            Reprise__Wcet__Section *s = m->section_list[m->section_count] = &m->sections[m->section_count];
            m->section_count++;
            m->warps[m->warp_count - 1].n_sections++;
            reprise__wcet__section__init(s);
            s->number = e->place.section;
            s->phases = &m->phase_list[i];
            instant = add_instants(m, s, p, e, instant);
        }
        m->sections[m->section_count - 1].n_phases++;
        Reprise__Wcet__Phase *phase = m->phase_list[i] = &m->phases[i];
        reprise__wcet__phase__init(phase);
        phase->start = e->phase.start;
        phase->duration = e->phase.duration;
        phase->kind = e->phase.kind == WCET_EXEC ? REPRISE__WCET__PHASE__KIND__EXEC : REPRISE__WCET__PHASE__KIND__IDLE;
        phase->instructions = e->phase.instructions;
    }
}

static bool write_protobuf(struct wcet_profile_file *f, const struct rp_kernel *k, const struct wcet_profile *p,
                           struct rp_error *err)
{
    struct message m = {0};
    bool fine =
        allocate(&m, k, p) || rp_fail(err, RP_SYSTEM, "%s: out of memory for the phases of a launch", f->out->path);
    if (fine) {
        fill(&m, p);
        reprise__wcet__launch__init(&m.launch);
        m.launch.launch = p->launch;
        m.launch.kernel = (char *)k->name;
        for (uint32_t i = 0; i < k->instruction_count; i++)
            m.texts[i] = (char *)k->instructions[i].text;
        m.launch.texts = m.texts;
        m.launch.n_texts = k->instruction_count;
        m.launch.warps = m.warp_list;
        m.launch.n_warps = m.warp_count;
        m.launches[0] = &m.launch;
        Reprise__Wcet__Profile part = REPRISE__WCET__PROFILE__INIT;
        part.launches = m.launches;
        part.n_launches = 1;
        fine = append(f, &part, err);
    }
    release(&m);
    return fine;
}

bool wcet_profile_write(struct wcet_profile_file *f, const struct rp_kernel *k, const struct wcet_profile *p,
                        struct rp_error *err)
{
    if (p->failed)
        return rp_fail(err, RP_SYSTEM, "out of memory for the phases of a launch");
    return f->protobuf ? write_protobuf(f, k, p, err) : write_csv(f, p, err);
}
