/* Options of machines and models as text: what a file or --set gives, and what is printed and reads back. */
#ifndef REPRISE_REPLAY_BASE_OPTION_TEXT_H
#define REPRISE_REPLAY_BASE_OPTION_TEXT_H

#include "replay/base/machine.h"

/* Where a row's value is, and the words that lists and texts are counted from. */
struct option_place {
    int64_t *value, *base;
};

/* Gives the row its value when nothing is said, and a list or text its words of the `room` from base, behind the *used
 * that others have. NULL, or what is wrong with the row. */
const char *option_begin(const struct model_option *, struct option_place, size_t *used, size_t room);
/* False: why says what would be right; the value stays. */
bool option_parse(const struct model_option *, const char *text, struct option_place, char *why, size_t size);
/* A number, true or false, a name, a text, or numbers with commas between them. */
void option_print(const struct model_option *, struct option_place, char out[OPTION_PRINTED]);

#endif
