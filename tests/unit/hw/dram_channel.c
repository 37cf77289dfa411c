/* A channel of the staged pipeline's device memory. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "hw-models/dram-channel/dram-channel.h"

/* GDDR6 of Accel-Sim's RTX 2060 (-gpgpu_dram_timing_opt). */
static const struct dram_timing gddr6 = {.banks = 16,
                                         .groups = 4,
                                         .queue = 64,
                                         .returns = 192,
                                         .ccd = 4,
                                         .ccdl = 6,
                                         .rrd = 12,
                                         .rcd = 24,
                                         .ras = 55,
                                         .rp = 24,
                                         .rc = 78,
                                         .cl = 24,
                                         .wl = 8,
                                         .cdlr = 10,
                                         .wr = 24,
                                         .burst = 4,
                                         .rtpl = 4};

enum { READS = 2000 };

/* Cycles of a read, of many in a full queue; the n-th is for row n modulo `rows` of bank n / rows modulo `banks`. */
static double cycles_of_read(bool fcfs, unsigned rows, unsigned banks, uint64_t counts[DRAM_COMMANDS])
{
    struct dram_timing t = gddr6;
    t.fcfs = fcfs;
    struct dram_channel *c = dram_channel_new(&t);
    uint64_t now = 0;
    char request;
    for (unsigned asked = 0, answered = 0; answered < READS; now++) {
        if (asked < READS && !dram_channel_full(c)) {
            const struct dram_command read = {&request, asked / rows % banks, asked % rows, 1, false};
            cr_assert(dram_channel_push(c, &read));
            asked++;
        }
        cr_assert_null(dram_channel_cycle(c, now));
        if (dram_channel_answer(c)) {
            dram_channel_take(c);
            answered++;
        }
        cr_assert_lt(now, 1000000u);
    }
    memcpy(counts, dram_channel_counts(c), DRAM_COMMANDS * sizeof *counts);
    dram_channel_free(c);
    return (double)now / READS;
}

/* Two rows of one bank in turns: in the order of the queue each read opens its row, once in tRAS + tRP, which is more
 * than tRC; the open row first, 32 reads of one go before those of the other, tCCDL apart. Each read but the first of
 * an opened row is a hit, and each row but the last is closed for the next. */
Test(dram_channel, first_come_opens_rows_that_first_ready_need_not)
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
Test(dram_channel, one_row_streams_either_way)
{
    uint64_t counts[DRAM_COMMANDS];
    double fcfs = cycles_of_read(true, 1, 1, counts), ready = cycles_of_read(false, 1, 1, counts);
    cr_expect(counts[DRAM_ACTIVATES] == 1 && !counts[DRAM_PRECHARGES] && counts[DRAM_ROW_HITS] == READS - 1);
    cr_expect_float_eq(fcfs, ready, .1, "%.2f, %.2f", fcfs, ready);
    cr_expect(ready >= 6 && ready < 6.5, "%.2f", ready);
}
