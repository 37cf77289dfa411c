#include "tools/ui/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define LONGEST 64

static size_t least_of(size_t a, size_t b) { return a < b ? a : b; }

static bool differ(char a, char b) { return tolower((unsigned char)a) != tolower((unsigned char)b); }

/* The edit distance, ignoring case: letters to change, insert, delete or swap with the next one (optimal string
 * alignment). A large value for words longer than LONGEST. */
static size_t distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b), rows[3][LONGEST + 1];
    if (na > LONGEST || nb > LONGEST)
        return 1000;
    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            row[j] = least_of(above[j - 1] + differ(a[i - 1], b[j - 1]), 1 + least_of(above[j], row[j - 1]));
            if (i > 1 && j > 1 && !differ(a[i - 1], b[j - 2]) && !differ(a[i - 2], b[j - 1]))
                row[j] = least_of(row[j], second[j - 2] + 1);
        }
    }
    return rows[na % 3][nb];
}

/* The only name that begins with the word; NULL: none or several do. */
static const char *begun(const char *word, const char *const *names, size_t count)
{
    const char *found = NULL;
    size_t n = strlen(word);
    for (size_t i = 0; n >= 3 && i < count; i++) {
        if (strncasecmp(names[i], word, n))
            continue;
        if (found)
            return NULL;
        found = names[i];
    }
    return found;
}

/* Removes the words at the beginning and the end that two names with dots share: "classes.fp23.latency" and
 * "classes.fp32.latency" become fp23 and fp32. */
static void cut_shared(const char *a, const char *b, char x[LONGEST + 1], char y[LONGEST + 1])
{
    size_t na = strlen(a), nb = strlen(b), front = 0, back = 0;
    for (size_t i = 0; i < na && i < nb && a[i] == b[i]; i++)
        front = a[i] == '.' ? i + 1 : front;
    for (size_t i = 1; i <= na - front && i <= nb - front && a[na - i] == b[nb - i]; i++)
        back = a[na - i] == '.' ? i : back;
    snprintf(x, LONGEST + 1, "%.*s", (int)(na - front - back), a + front);
    snprintf(y, LONGEST + 1, "%.*s", (int)(nb - front - back), b + front);
}

/* The largest distance at which a name is suggested for the word. */
static size_t allowed(const char *word)
{
    size_t n = strlen(word);
    return n < 2 ? 0 : n < 6 ? 1 : n / 3;
}

const char *nearest_name(const char *word, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t least = 1000;
    for (size_t i = 0; i < count; i++) {
        char x[LONGEST + 1], y[LONGEST + 1];
        cut_shared(word, names[i], x, y);
        size_t d = distance(x, y);
        if (d < least && d <= allowed(x)) {
            least = d;
            best = names[i];
        }
    }
    return best ? best : begun(word, names, count);
}
