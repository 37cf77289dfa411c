/* The reader of stored results on arbitrary bytes, whose length and checksum are made right so that more of it is
 * reached: a result, or one line that says what is wrong. The first byte chooses the whole or its launches alone. */
#include <stdlib.h>
#include <string.h>

#include "replay/session/machine_open.h"
#include "tools/results/record.h"
#include "tracefmt/sha256.h"

enum { LAUNCHES = 4, PREFIX = 32, CHECKSUM = 32 };

static void read_whole(uint8_t *bytes, size_t size)
{
    static struct machine *machine;
    struct rp_error err = {0};
    struct result result;
    setenv("REPRISE_MACHINES", "hw-models/machines", 0);
    if (!machine && !(machine = machine_open(&(struct machine_request){.name = "orin-wcet"}, &err)))
        abort();
    const struct record_origin of = {.identity = "fuzz", .machine = machine, .count = LAUNCHES};
    if (size >= PREFIX + CHECKSUM) {
        struct sha256 sha;
        uint32_t heading;
        memcpy(&heading, bytes + 12, sizeof heading);
        size_t rest = size - PREFIX - CHECKSUM, frame = rest - (heading < rest ? heading : rest);
        for (unsigned i = 0; i < 8; i++)
            bytes[24 + i] = (uint8_t)(frame >> 8 * i);
        sha256_begin(&sha);
        sha256_add(&sha, bytes, size - CHECKSUM);
        sha256_end(&sha, bytes + size - CHECKSUM);
    }
    bool fine = record_read("fuzz", bytes, size, &of, &result, &err);
    if (fine ? result.launches.count != LAUNCHES : !*err.text || strchr(err.text, '\n'))
        abort();
    if (fine)
        result_free(&result);
}

static void read_launches(const uint8_t *data, size_t size)
{
    struct launch_log log;
    uint8_t *bytes = malloc(size ? size : 1);
    if (!bytes)
        return;
    memcpy(bytes, data, size);
    if (launch_log_of_bytes(&log, bytes, size, 0, LAUNCHES))
        launch_log_free(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    if (*data & 1) {
        read_launches(data + 1, size - 1);
        return 0;
    }
    uint8_t *bytes = malloc(size);
    if (!bytes)
        return 0;
    memcpy(bytes, data + 1, size - 1);
    read_whole(bytes, size - 1);
    free(bytes);
    return 0;
}
