/* Cores wait for one another: a ticket lock, a lock of compare-and-swap, an atomic counter, and a barrier of their own.
 */
#include "reprise_guest.h"

#ifndef ROUNDS
#define ROUNDS 4
#endif

static unsigned next_ticket, now_serving, word_lock, counter, arrived, sense;
static unsigned in_ticket, in_word, order;

static void ticket_round(void)
{
    const unsigned mine = __atomic_fetch_add(&next_ticket, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&now_serving, __ATOMIC_SEQ_CST) != mine)
        ;
    in_ticket++;
    order = order * 31 + mine;
    __atomic_store_n(&now_serving, mine + 1, __ATOMIC_SEQ_CST);
}

static void word_round(void)
{
    unsigned free = 0;
    while (!__atomic_compare_exchange_n(&word_lock, &free, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        free = 0;
    in_word += 3;
    __atomic_store_n(&word_lock, 0, __ATOMIC_SEQ_CST);
}

static void spin_barrier(unsigned cores)
{
    const unsigned mine = __atomic_load_n(&sense, __ATOMIC_SEQ_CST);
    if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == cores) {
        __atomic_store_n(&arrived, 0, __ATOMIC_SEQ_CST);
        __atomic_store_n(&sense, mine + 1, __ATOMIC_SEQ_CST);
    } else {
        while (__atomic_load_n(&sense, __ATOMIC_SEQ_CST) == mine)
            ;
    }
}

int main(void)
{
    const unsigned core = guest_core(), cores = guest_cores();
    for (unsigned i = 0; i < ROUNDS; i++) {
        ticket_round();
        word_round();
        __atomic_fetch_add(&counter, core + i, __ATOMIC_RELAXED);
    }
    spin_barrier(cores);
    if (core == 0) {
        guest_print_hex(in_ticket - cores * ROUNDS);
        guest_print_hex(in_word - 3 * cores * ROUNDS);
        guest_print_hex(counter - cores * (cores - 1) / 2 * ROUNDS - cores * ROUNDS * (ROUNDS - 1) / 2);
    }
    return 0;
}
