#include "hw-models/shared-memory/conflicts.h"

#define WORDS_PER_LANE 4u

/* The words that lanes access, without repetition, bank by bank. */
struct banks {
    uint32_t count[SHARED_MEMORY_BANKS];
    uint64_t word[SHARED_MEMORY_BANKS][SHARED_MEMORY_LANES * WORDS_PER_LANE];
};

static void add_word(struct banks *b, uint64_t word)
{
    uint32_t bank = (uint32_t)(word % SHARED_MEMORY_BANKS);
    for (uint32_t i = 0; i < b->count[bank]; i++)
        if (b->word[bank][i] == word)
            return;
    b->word[bank][b->count[bank]++] = word;
}

uint32_t shared_memory_words(const struct shared_memory_access *a, uint32_t first, uint32_t lanes)
{
    struct banks banks;
    for (uint32_t b = 0; b < SHARED_MEMORY_BANKS; b++)
        banks.count[b] = 0;
    for (uint32_t lane = first; lane < first + lanes; lane++)
        if (a->mask >> lane & 1)
            for (uint32_t byte = 0; byte < a->width && byte < WORDS_PER_LANE * SHARED_MEMORY_WORD;
                 byte += SHARED_MEMORY_WORD)
                add_word(&banks, (a->address[lane] + byte) / SHARED_MEMORY_WORD);
    uint32_t most = 0;
    for (uint32_t b = 0; b < SHARED_MEMORY_BANKS; b++)
        most = banks.count[b] > most ? banks.count[b] : most;
    return most;
}

uint32_t shared_memory_same(const struct shared_memory_access *a)
{
    uint32_t most = 0;
    for (uint32_t lane = 0; lane < SHARED_MEMORY_LANES; lane++) {
        uint32_t same = 0;
        for (uint32_t other = 0; other < SHARED_MEMORY_LANES; other++)
            same += (a->mask >> other & 1) && a->address[other] == a->address[lane];
        most = (a->mask >> lane & 1) && same > most ? same : most;
    }
    return most;
}
