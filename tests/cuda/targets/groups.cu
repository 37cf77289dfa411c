/* Cooperative groups within a block: tiles of 2 to 32 under different masks, coalesced, labeled and binary partitions, and tiles of
 * several warps. Each part is compared with a computation of the host's, lane by lane. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "../test.h"

namespace cg = cooperative_groups;

enum { N = 96 };

struct votes {
    unsigned ballot, any, all, match, same, sum, greatest, prefix, shuffled, rank, size;
};

__device__ static unsigned value_of(unsigned i) { return (i * 2654435761u) >> 27; }
__host__ static unsigned host_value_of(unsigned i) { return (i * 2654435761u) >> 27; }

/* Lanes of each tile whose value is odd stay away in every other tile: tiles execute one instruction with different masks. */
template <int SIZE> __global__ void tiles(votes *to)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<SIZE>(block);
    unsigned i = threadIdx.x, v = value_of(i);
    if (tile.meta_group_rank() % 2 && SIZE < 32)
        return; /* the others go on without these tiles */
    votes r;
    r.ballot = tile.ballot(v & 1);
    r.any = tile.any(v > 28);
    r.all = tile.all(v < 30);
    r.match = tile.match_any(v & 3);
    int same;
    tile.match_all(v & 3, same);
    r.same = same;
    r.sum = cg::reduce(tile, v, cg::plus<unsigned>());
    r.greatest = cg::reduce(tile, v, cg::greater<unsigned>());
    r.prefix = cg::inclusive_scan(tile, v);
    r.shuffled = tile.shfl(v, SIZE / 2) + 100 * tile.shfl_xor(v, 1) + 10000 * tile.shfl_up(v, 1) + 1000000 * tile.shfl_down(v, 1);
    r.rank = tile.thread_rank();
    r.size = tile.num_threads();
    to[i] = r;
}

template <int SIZE> void check_tiles(votes *on_device, votes *host)
{
    CHECK(cudaMemset(on_device, 0xff, N * sizeof(votes)));
    tiles<SIZE><<<1, N>>>(on_device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, on_device, N * sizeof(votes), cudaMemcpyDefault));
    for (unsigned i = 0; i < N; i++) {
        unsigned first = i / SIZE * SIZE, rank = i - first;
        if (i / SIZE % 2 && SIZE < 32) {
            EXPECT(host[i].size == ~0u);
            continue;
        }
        votes w = {0, 0, 1, 0, 1, 0, 0, 0, 0, rank, SIZE};
        unsigned v[32];
        for (unsigned k = 0; k < SIZE; k++) {
            v[k] = host_value_of(first + k);
            w.ballot |= (v[k] & 1) << k;
            w.any |= v[k] > 28;
            w.all &= v[k] < 30;
            w.match |= (unsigned)((v[k] & 3) == (host_value_of(i) & 3)) << k;
            w.same &= (v[k] & 3) == (v[0] & 3);
            w.sum += v[k];
            w.greatest = v[k] > w.greatest ? v[k] : w.greatest;
            w.prefix += k <= rank ? v[k] : 0;
        }
        w.shuffled = v[SIZE / 2] + 100 * v[rank ^ 1] + 10000 * v[rank ? rank - 1 : 0] + 1000000 * v[rank + 1 < SIZE ? rank + 1 : rank];
        EXPECT(host[i].ballot == w.ballot && !host[i].any == !w.any && !host[i].all == !w.all && host[i].match == w.match);
        EXPECT(!host[i].same == !w.same && host[i].sum == w.sum && host[i].greatest == w.greatest && host[i].prefix == w.prefix);
        EXPECT(host[i].shuffled == w.shuffled && host[i].rank == rank && host[i].size == SIZE);
    }
    char name[32];
    std::snprintf(name, sizeof name, "tiles of %d", SIZE);
    ok(name);
}

/* What a partition of the lanes says: rank, size, sum of the members' values. */
struct part {
    unsigned rank, size, sum, first;
};

__global__ void partitions(part *coalesced, part *labeled, part *binary)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    unsigned i = threadIdx.x, v = value_of(i);
    if (v % 3) {
        cg::coalesced_group g = cg::coalesced_threads();
        coalesced[i] = {g.thread_rank(), (unsigned)g.num_threads(), cg::reduce(g, v, cg::plus<unsigned>()), g.shfl(i, 0)};
        cg::coalesced_group l = cg::labeled_partition(g, v % 5);
        labeled[i] = {l.thread_rank(), (unsigned)l.num_threads(), cg::reduce(l, v, cg::plus<unsigned>()), l.shfl(i, 0)};
    }
    cg::coalesced_group b = cg::binary_partition(warp, v > 12);
    binary[i] = {b.thread_rank(), (unsigned)b.num_threads(), cg::reduce(b, v, cg::plus<unsigned>()), b.shfl(i, 0)};
}

template <class MEMBER> void check_parts(const part *got, MEMBER member, const char *name)
{
    for (unsigned i = 0; i < N; i++) {
        part w = {0, 0, 0, ~0u};
        if (!member(i, i))
            continue;
        for (unsigned k = i / 32 * 32; k < i / 32 * 32 + 32; k++)
            if (member(i, k)) {
                w.first = w.first == ~0u ? k : w.first;
                w.rank += k < i;
                w.size++;
                w.sum += host_value_of(k);
            }
        EXPECT(got[i].rank == w.rank && got[i].size == w.size && got[i].sum == w.sum && got[i].first == w.first);
    }
    ok(name);
}

/* Tiles of 64 threads: two warps that wait for one another through shared memory. */
__global__ void wide_tiles(unsigned *to)
{
    __shared__ cg::block_tile_memory<128> memory;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
    unsigned v = value_of(threadIdx.x);
    to[threadIdx.x] = cg::reduce(tile, v, cg::plus<unsigned>()) + 100000 * tile.any(v == 31) + 200000 * tile.all(v < 31);
    tile.sync();
}

int main()
{
    votes *on_device, host[N];
    part *parts, some[3][N];
    unsigned *sums, wide[128];
    CHECK(cudaMalloc(&on_device, sizeof host));
    check_tiles<2>(on_device, host);
    check_tiles<4>(on_device, host);
    check_tiles<8>(on_device, host);
    check_tiles<16>(on_device, host);
    check_tiles<32>(on_device, host);
    CHECK(cudaMalloc(&parts, sizeof some));
    partitions<<<1, N>>>(parts, parts + N, parts + 2 * N);
    CHECK(cudaMemcpy(some, parts, sizeof some, cudaMemcpyDefault));
    auto value = host_value_of;
    check_parts(some[0], [=](unsigned i, unsigned k) { return value(i) % 3 && value(k) % 3; }, "coalesced groups");
    check_parts(some[1], [=](unsigned i, unsigned k) { return value(i) % 3 && value(k) % 3 && value(i) % 5 == value(k) % 5; },
                "labeled partitions");
    check_parts(some[2], [=](unsigned i, unsigned k) { return (value(i) > 12) == (value(k) > 12); }, "binary partitions");
    CHECK(cudaMalloc(&sums, sizeof wide));
    wide_tiles<<<1, 128>>>(sums);
    CHECK(cudaMemcpy(wide, sums, sizeof wide, cudaMemcpyDefault));
    for (unsigned i = 0; i < 128; i++) {
        unsigned sum = 0, any = 0, all = 1;
        for (unsigned k = i / 64 * 64; k < i / 64 * 64 + 64; k++) {
            sum += value(k);
            any |= value(k) == 31;
            all &= value(k) < 31;
        }
        EXPECT(wide[i] == sum + 100000 * any + 200000 * all);
    }
    ok("tiles of 64");
    return 0;
}
