/* First in, first out: the line that came first, however often it was used since. */
#include "hw-models/replacement/stamps.h"

const struct replacement_policy replacement_fifo = {
    .name = "fifo",
    .state_size = stamps_size,
    .fill = replacement_stamp,
    .victim = stamps_victim,
};
