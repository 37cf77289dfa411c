/* Device memory that is stepped. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "hw-models/dram/counters.h"
#include "hw-models/dram/dram.h"
#include "hw-models/dram/staged.h"
#include "hw-models/dram/stepped.h"

/* The initial values of options are the GDDR6 of Accel-Sim's RTX 2060 (-gpgpu_dram_timing_opt): tRAS 55, tRP 24, tRC
 * 78, tCCDL 6. */
static void *gddr6(bool fcfs)
{
    int64_t options[64];
    for (unsigned o = 0; o < dram_staged.model.option_count; o++)
        options[o] = dram_staged.model.options[o].initial;
    options[STAGED_DRAM_SCHEDULER] = fcfs;
    return dram_staged.stepped->open(options);
}

/* In a channel: a row has 32 KiB, the number of a bank the bits 12 to 14, and bit 7 as its lowest. */
static uint64_t address_of(uint64_t row, uint64_t bank) { return row << 15 | bank >> 1 << 12 | (bank & 1) << 7; }

enum { READS = 2000 };

/* Cycles of a read, of many in a full queue; the n-th is for row n modulo `rows` of bank n / rows modulo `banks`. */
static double cycles_of_read(bool fcfs, unsigned rows, unsigned banks, uint64_t counts[DRAM_COMMANDS])
{
    const struct stepped_dram *m = dram_staged.stepped;
    void *c = gddr6(fcfs);
    uint64_t now = 0;
    char request;
    for (unsigned asked = 0, answered = 0; answered < READS; now++) {
        if (asked < READS && !m->full(c)) {
            const struct dram_command read = {&request, address_of(asked % rows, asked / rows % banks), 1, false};
            cr_assert(m->push(c, &read));
            asked++;
        }
        cr_assert_null(m->cycle(c, now));
        if (m->response(c)) {
            m->take(c);
            answered++;
        }
        cr_assert_lt(now, 1000000u);
    }
    memcpy(counts, dram_staged.model.counted(c, now), DRAM_COMMANDS * sizeof *counts);
    m->close(c);
    return (double)now / READS;
}

/* Two rows of one bank in turns: in the order of the queue each read opens its row, once in tRAS + tRP, which is more
 * than tRC; the open row first, 32 reads of one go before those of the other, tCCDL apart. Each read but the first of
 * an opened row is a hit, and each row but the last is closed for the next. */
Test(dram_staged, first_come_opens_rows_that_first_ready_need_not)
{
    uint64_t by_turns[DRAM_COMMANDS], by_rows[DRAM_COMMANDS];
    double fcfs = cycles_of_read(true, 2, 1, by_turns), ready = cycles_of_read(false, 2, 1, by_rows);
    cr_expect(fcfs > 78.9 && fcfs < 80, "%.2f", fcfs);
    cr_expect(ready >= 6 && ready < 6 + 2 * 79 / 32., "%.2f", ready);
    const uint64_t wanted[DRAM_COMMANDS] = {
        [DRAM_READS] = READS, [DRAM_ACTIVATES] = READS, [DRAM_PRECHARGES] = READS - 1};
    cr_expect_arr_eq(by_turns, wanted, sizeof wanted);
    cr_expect_eq(by_rows[DRAM_READS], READS);
    cr_expect_eq(by_rows[DRAM_WRITES], 0);
    cr_expect_eq(by_rows[DRAM_ROW_HITS], READS - by_rows[DRAM_ACTIVATES]);
    cr_expect_eq(by_rows[DRAM_PRECHARGES], by_rows[DRAM_ACTIVATES] - 1);
    cr_expect(by_rows[DRAM_ACTIVATES] > 2 && by_rows[DRAM_ACTIVATES] < READS / 16);
}

/* Where no row changes the order is no matter. */
Test(dram_staged, one_row_streams_either_way)
{
    uint64_t counts[DRAM_COMMANDS];
    double fcfs = cycles_of_read(true, 1, 1, counts), ready = cycles_of_read(false, 1, 1, counts);
    cr_expect(counts[DRAM_ACTIVATES] == 1 && !counts[DRAM_PRECHARGES] && counts[DRAM_ROW_HITS] == READS - 1);
    cr_expect_float_eq(fcfs, ready, .1, "%.2f, %.2f", fcfs, ready);
    cr_expect(ready >= 6 && ready < 6.5, "%.2f", ready);
}
