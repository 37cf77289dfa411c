/* Least recently used: the line whose last use is longest ago. */
#include "hw-models/replacement/stamps.h"

const struct replacement_policy replacement_lru = {
    .name = "lru",
    .state_size = stamps_size,
    .use = replacement_stamp,
    .fill = replacement_stamp,
    .victim = stamps_victim,
};
