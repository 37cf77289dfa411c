#include "tools/results/result.h"

#include <stdlib.h>
#include <string.h>

#include "tracefmt/reader.h"

bool result_replay(struct rp_trace *trace, const struct machine *machine, const struct replay_options *options,
                   struct result *result, struct rp_error *err)
{
    struct replay_options with_log = *options;
    struct replay_result replayed;
    *result = (struct result){0};
    with_log.launch_done = launch_log_add;
    with_log.launch_done_data = &result->launches;
    bool fine = replay(trace, machine, &with_log, &replayed, err);
    if (!rp_trace_unchanged(trace, err) || !fine) {
        if (fine)
            replay_result_free(&replayed);
        result_free(result);
        return false;
    }
    result->total = replayed.total;
    memcpy(result->copies, replayed.copies, sizeof result->copies);
    result->channels = replayed.channels;
    replayed.channels = NULL;
    result->cores = replayed.cores;
    replayed.cores = NULL;
    result->device_count = replayed.device_count;
    result->devices = replayed.devices;
    result->links = replayed.links;
    replayed.devices = NULL;
    replayed.links = NULL;
    result->sample = replayed.sample;
    replay_result_free(&replayed);
    return true;
}

void result_free(struct result *result)
{
    launch_log_free(&result->launches);
    free(result->channels);
    free(result->cores);
    free(result->devices);
    free(result->links);
    *result = (struct result){0};
}
