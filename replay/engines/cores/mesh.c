/* A mesh with a tile for each core, in rows. A message goes along its row, then along its column. Links are never busy:
 * a message of n flits takes hops x mesh.hop + n cycles. */
#include "replay/engines/cores/chip.h"

static uint64_t mesh_distance(unsigned a, unsigned b) { return a > b ? a - b : b - a; }

uint64_t mesh_send(const struct chip *c, uint32_t from, uint32_t to, uint64_t bytes, struct core_counts *counts)
{
    uint64_t width = (uint64_t)c->machine->mesh_width;
    uint64_t flits = ((uint64_t)c->machine->mesh_header + bytes + width - 1) / width;
    uint64_t hops = mesh_distance(c->column[from], c->column[to]) + mesh_distance(c->row[from], c->row[to]);
    counts->messages++;
    counts->hops += hops;
    return hops * (uint64_t)c->machine->mesh_hop + flits;
}

uint32_t mesh_spread(const struct chip *c, uint64_t number, uint64_t count)
{
    return (uint32_t)(number * (uint64_t)c->machine->cores / count);
}
