/* seeds_result FOLDER: inputs of fuzz_result: a result of four launches, whole and its launches alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/session/machine_open.h"
#include "tools/results/record.h"

static bool put(const char *folder, const char *name, uint8_t first, const uint8_t *bytes, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    bool ok = f && fputc(first, f) != EOF && fwrite(bytes, 1, size, f) == size;
    if (f && fclose(f))
        ok = false;
    if (!ok)
        perror(path);
    return ok;
}

int main(int argc, char **argv)
{
    struct rp_error err = {0};
    struct result result = {.total = {.cycles = 1000}};
    setenv("REPRISE_MACHINES", "hw-models/machines", 0);
    struct machine *machine = machine_open(&(struct machine_request){.name = "orin-wcet"}, &err);
    bool ok = argc == 2 && machine;
    for (uint32_t l = 0; ok && l < 4; l++) {
        struct replay_launch launch = {.launch = l, .begin = 250 * l, .end = 250 * (l + 1), .overlaps = l & 1};
        launch.statistics.cycles = 250;
        launch.statistics.memory.l2.hits = l;
        strcpy(launch.warning, l == 2 ? "the recording ended early" : "");
        ok = launch_log_add(&result.launches, &launch, &err);
    }
    size_t size;
    struct record_origin of = {.identity = "fuzz", .machine = machine, .count = 4};
    uint8_t *bytes = ok ? record_write(&result, &of, &size, &err) : NULL;
    ok = bytes && put(argv[1], "whole", 0, bytes, size) &&
         put(argv[1], "launches", 1, result.launches.packed.bytes, result.launches.packed.size);
    if (*err.text)
        fprintf(stderr, "%s\n", err.text);
    free(bytes);
    result_free(&result);
    machine_free(machine);
    return !ok;
}
