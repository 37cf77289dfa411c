/* A machine of byte codes, with another random program on each core: as many paths as there are cores. */
#include "reprise_guest.h"

#ifndef STEPS
#define STEPS 2000
#endif
#define PROGRAMS 64
#define LENGTH 64

static uint8_t programs[PROGRAMS][LENGTH];
static uint32_t results[4096];

static uint32_t execute(const uint8_t *program, unsigned seed)
{
    uint32_t stack[16] = {seed, 1, 2, 3}, accumulator = seed, counter = 0;
    unsigned pc = 0, top = 4;
    for (unsigned step = 0; step < STEPS; step++) {
        const unsigned code = program[pc % LENGTH], argument = code >> 4;
        pc++;
        switch (code & 15) {
        case 0: accumulator += stack[argument]; break;
        case 1: accumulator ^= stack[argument] << 1; break;
        case 2: stack[argument] = accumulator; break;
        case 3: accumulator = accumulator * 1664525 + argument; break;
        case 4: accumulator = accumulator >> (argument & 7) | accumulator << 27; break;
        case 5: top = (top + argument) & 15; break;
        case 6: stack[top] -= accumulator; break;
        case 7: pc += accumulator & 1 ? argument : 0; break;
        case 8: accumulator = stack[top] + counter; break;
        case 9: counter += argument; break;
        case 10: accumulator = accumulator % (argument + 3) + counter; break;
        case 11: accumulator = ~accumulator; break;
        case 12: stack[(top + argument) & 15] ^= counter; break;
        case 13: accumulator -= accumulator << argument; break;
        case 14: pc += argument; break;
        default: accumulator = accumulator > counter ? accumulator - counter : counter - accumulator; break;
        }
    }
    return accumulator + counter;
}

int main(void)
{
    const unsigned core = guest_core(), cores = guest_cores();
    for (unsigned p = core; p < PROGRAMS; p += cores) {
        uint32_t x = p * 2654435761u + 99;
        for (unsigned i = 0; i < LENGTH; i++) {
            x = x * 1664525 + 1013904223;
            programs[p][i] = (uint8_t)(x >> 16);
        }
    }
    guest_barrier();
    results[core] = execute(programs[core % PROGRAMS], core);
    guest_barrier();
    if (core == 0) {
        uint32_t sum = 0;
        for (unsigned c = 0; c < cores; c++)
            sum = sum * 31 + results[c];
        guest_print_hex(sum);
    }
    return 0;
}
