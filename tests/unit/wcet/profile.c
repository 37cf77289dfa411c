/* Files of phases, read with protobuf-c and sscanf, tell what the analysis told, block by block and warp by warp. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/wcet/common.h"
#include "tools/wcet/phases.pb-c.h"
#include "tools/wcet/profile.h"

#define BARRIER                                                                                                        \
    {                                                                                                                  \
        .unit_class = RP_CLASS_BARRIER, .destination = NO, .source = { NO, NO, NO }                                    \
    }
#define LAUNCHES 2
#define BLOCKS 3
#define WARPS 3
#define MOST 1000

/* Two warps of three sections each, and one that ends at once. */
static const struct warp_op slow[] = {
    OP(FP32, 1, 0, 0, NO), OP(FP32, 2, 1, NO, NO), BARRIER, OP(FP32, 3, 2, NO, NO), BARRIER, OP(FP32, 4, 3, 3, NO)};
static const struct warp_op fast[] = {OP(INT, 1, 0, NO, NO), BARRIER, OP(INT, 2, 1, NO, NO), BARRIER,
                                      OP(INT, 3, 2, NO, NO)};
static const struct warp_program programs[WARPS] = {{slow, 6}, {fast, 5}, {NULL, 0}};

/* What the analysis said, in its own order. */
struct told {
    struct wcet_watch to;
    uint32_t launch, phase_count, instant_count;
    struct {
        uint32_t launch;
        struct wcet_location place;
        struct wcet_phase phase;
        struct wcet_instant instant;
    } phases[MOST], instants[MOST];
};

static void on_phase(void *data, const struct wcet_location *place, const struct wcet_phase *phase)
{
    struct told *t = data;
    cr_assert_lt(t->phase_count, MOST);
    t->phases[t->phase_count].launch = t->launch;
    t->phases[t->phase_count].place = *place;
    t->phases[t->phase_count++].phase = *phase;
    t->to.phase(t->to.data, place, phase);
}

static void on_instant(void *data, const struct wcet_location *place, const struct wcet_instant *instant)
{
    struct told *t = data;
    cr_assert_lt(t->instant_count, MOST);
    t->instants[t->instant_count].launch = t->launch;
    t->instants[t->instant_count].place = *place;
    t->instants[t->instant_count++].instant = *instant;
    if (t->to.instant)
        t->to.instant(t->to.data, place, instant);
}

static bool at(const struct wcet_location *p, uint64_t block, uint32_t warp, uint32_t section)
{
    return p->block == block && p->warp == warp && p->section == section;
}

/* Writes the file, with LAUNCHES times the same launch, and gives its bytes; to be freed. */
static uint8_t *written(const char *ending, struct told *told, size_t *size)
{
    struct rp_error err;
    char path[] = "/tmp/reprise-phases-XXXXXX";
    char name[64];
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    unlink(path);
    snprintf(name, sizeof name, "%s%s", path, ending);
    struct rp_trace *t = trace_of_blocks(programs, WARPS, BLOCKS);
    struct machine *m = orin(NULL, 0);
    struct wcet_profile profile = {.file = wcet_profile_open(name, t, m, &err)};
    cr_assert(profile.file, "%s", err.text);
    *told = (struct told){.to = wcet_profile_watch(&profile)};
    struct wcet_watch watch = {.phase = on_phase, .instant = on_instant, .data = told};
    for (told->launch = 0; told->launch < LAUNCHES; told->launch++) {
        struct wcet_bounds bounds;
        wcet_profile_begin(&profile, told->launch, rp_trace_kernel(t, 0));
        cr_assert(wcet_analyse(t, 0, m, ALL_EXTENSIONS, &watch, &bounds, &err), "%s", err.text);
        wcet_bounds_free(&bounds);
        cr_assert(wcet_profile_end(&profile, &err), "%s", err.text);
    }
    cr_assert(wcet_profile_close(profile.file, true, &err), "%s", err.text);
    wcet_profile_free(&profile);
    machine_free(m);
    rp_trace_close(t);

    FILE *in = fopen(name, "rb");
    cr_assert(in);
    uint8_t *bytes = calloc(1 << 20, 1);
    *size = fread(bytes, 1, (1 << 20) - 1, in);
    fclose(in);
    unlink(name);
    return bytes;
}

/* A section of the message has exactly what was told of it, in that order. */
static void section_is(const Reprise__Wcet__Section *s, const struct told *t, uint32_t launch, uint64_t block,
                       uint32_t warp)
{
    size_t phases = 0, instants = 0;
    for (uint32_t i = 0; i < t->phase_count; i++) {
        const struct wcet_phase *told = &t->phases[i].phase;
        if (t->phases[i].launch != launch || !at(&t->phases[i].place, block, warp, s->number))
            continue;
        cr_assert_lt(phases, s->n_phases);
        const Reprise__Wcet__Phase *p = s->phases[phases++];
        cr_assert(p->start == told->start && p->duration == told->duration && p->instructions == told->instructions);
        cr_assert_eq(p->kind == REPRISE__WCET__PHASE__KIND__EXEC, told->kind == WCET_EXEC);
    }
    for (uint32_t i = 0; i < t->instant_count; i++) {
        const struct wcet_instant *told = &t->instants[i].instant;
        if (t->instants[i].launch != launch || !at(&t->instants[i].place, block, warp, s->number))
            continue;
        cr_assert_lt(instants, s->n_instruction);
        cr_assert(s->instruction[instants] == told->index && s->issue[instants] == told->issue &&
                  s->dispatch[instants] == told->dispatch && s->writeback[instants] == told->writeback);
        instants++;
    }
    cr_assert(phases == s->n_phases && instants == s->n_instruction && instants == s->n_issue &&
              instants == s->n_dispatch && instants == s->n_writeback);
}

Test(profile, protobuf_tells_what_the_analysis_told)
{
    static struct told told;
    size_t size, phases = 0;
    uint8_t *bytes = written(".pb", &told, &size);
    Reprise__Wcet__Profile *p = reprise__wcet__profile__unpack(NULL, size, bytes);
    cr_assert(p);
    cr_assert_str_eq(p->machine, "orin-wcet");
    cr_assert_eq(strlen(p->trace_sha256), 64);
    cr_assert_eq(p->n_launches, LAUNCHES);
    for (uint32_t l = 0; l < LAUNCHES; l++) {
        const Reprise__Wcet__Launch *launch = p->launches[l];
        cr_assert(launch->launch == l && launch->n_texts > 0 && *launch->kernel);
        cr_assert_eq(launch->n_warps, BLOCKS * 2, "two warps of a block issue something");
        for (size_t w = 0; w < launch->n_warps; w++) {
            const Reprise__Wcet__Warp *warp = launch->warps[w];
            cr_assert_eq(warp->block, w / 2);
            cr_assert(!(w % 2) || warp->number > launch->warps[w - 1]->number);
            cr_assert_eq(warp->n_sections, 3);
            for (size_t s = 0; s < warp->n_sections; s++) {
                cr_assert_eq(warp->sections[s]->number, s);
                section_is(warp->sections[s], &told, l, warp->block, warp->number);
                phases += warp->sections[s]->n_phases;
            }
        }
    }
    cr_assert(phases == told.phase_count && phases > 0);
    reprise__wcet__profile__free_unpacked(p, NULL);
    free(bytes);
}

Test(profile, csv_tells_what_the_analysis_told)
{
    static struct told told;
    size_t size;
    uint32_t lines = 0, l, warp, section;
    uint64_t block, start, duration, instructions, last = 0, end = 0;
    char kind[5], *state;
    uint8_t *bytes = written(".csv", &told, &size);
    strtok_r((char *)bytes, "\n", &state);
    for (char *line; (line = strtok_r(NULL, "\n", &state)); lines++) {
        int fields =
            sscanf(line, "%" SCNu32 ",%" SCNu64 ",%" SCNu32 ",%" SCNu32 ",%" SCNu64 ",%" SCNu64 ",%4[a-z],%" SCNu64, &l,
                   &block, &warp, &section, &start, &duration, kind, &instructions);
        cr_assert_eq(fields, 8, "%s", line);
        bool found = false;
        for (uint32_t i = 0; i < told.phase_count; i++)
            found |= told.phases[i].launch == l && at(&told.phases[i].place, block, warp, section) &&
                     told.phases[i].phase.start == start && told.phases[i].phase.duration == duration &&
                     told.phases[i].phase.instructions == instructions &&
                     !strcmp(kind, told.phases[i].phase.kind == WCET_EXEC ? "exec" : "idle");
        cr_assert(found, "%s", line);
        uint64_t place = ((l * BLOCKS + block) * WARPS + warp) * 3 + section;
        cr_assert(place > last || (place == last && start == end), "%s: phases are in order and follow one another",
                  line);
        last = place;
        end = start + duration;
    }
    cr_assert(lines == told.phase_count && lines > 0);
    free(bytes);
}
