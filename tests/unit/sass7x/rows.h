/* Each row that has a model, run on corner values. */
#ifndef REPRISE_TESTS_SASS7X_ROWS_H
#define REPRISE_TESTS_SASS7X_ROWS_H

#include "frontend/isa/sass7x/table.h"

#define ROW_ASYNC "async.c" /* which says so by itself */
/* Why a row has no check in this suite; NULL: it needs one (left_out.c). */
const char *row_left_out(const struct sass_row *);
/* Whether tests in rows.c run words of the row and compare them with its model. */
bool rows_check(const struct sass_row *);

#endif
