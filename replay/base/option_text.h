/* Options of machines and models as text: what a file or --set gives, and what is printed and reads back. */
#ifndef REPRISE_REPLAY_BASE_OPTION_TEXT_H
#define REPRISE_REPLAY_BASE_OPTION_TEXT_H

#include "replay/base/machine.h"

/* A row's value, and the array in which lists and texts are stored: for those the value holds an index into it. */
struct option_place {
    int64_t *value, *base;
};

/* Sets the row's default. A list or text gets its words after the *used words of base that are taken; base has `room`
 * words. Returns NULL, or what is wrong with the row. */
const char *option_begin(const struct model_option *, struct option_place, size_t *used, size_t room);
/* False: the value stays, and `why` says which values are valid. */
bool option_parse(const struct model_option *, const char *text, struct option_place, char *why, size_t size);
/* Whether a text that option_parse() refuses is a number, or a list of numbers, beyond the limits of the row. */
bool option_beyond_limits(const struct model_option *, const char *text);
/* Prints a number, true or false, a name, a text, or numbers with commas between them. */
void option_print(const struct model_option *, struct option_place, char out[OPTION_PRINTED]);

#endif
