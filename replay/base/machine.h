/* Machines: real or imagined chips as data, of one of two kinds: GPUs, and chips of many cores, which replay guests
 * (docs/guests.md).
 *
 * A machine file (libconfig syntax) gives the chip's own options and a model for each part. For each class of
 * instructions it gives the unit and the time. docs/machines.md lists all keys. Keys are written with dots: `l1.size`.
 * A file may build on another, `base = "jetson-tx2"`, and give only what differs. The key of a part alone chooses its
 * model: `scheduler = "gto"` is `scheduler.model = "gto"`. Settings beside the file (--set) override it. The group
 * `device` has properties that CUDA programs ask for; they affect no cycle, and neither does `area`. A machine does not
 * change after it was opened, so threads may share it.
 */
#ifndef REPRISE_REPLAY_BASE_MACHINE_H
#define REPRISE_REPLAY_BASE_MACHINE_H

#include "hw-models/set/models.h"
#include "tracefmt/error.h"
#include "tracefmt/trace.h"

/* The chip's own options: X(field, key, type, unit, least, most, initial, names, help). */
#define MACHINE_OPTIONS(X)                                                                                             \
    X(sms, "sms", OPTION_INTEGER, "", 1, 1024, 1, NULL, "streaming multiprocessors")                                   \
    X(subcores, "subcores", OPTION_INTEGER, "", 1, 16, 1, NULL,                                                        \
      "sub-cores of an SM, each with a scheduler and units of its own")                                                \
    X(clock_mhz, "clock_mhz", OPTION_FRACTION, "MHz", FRACTION(1) / 1000, FRACTION(100000), FRACTION(1000), NULL,      \
      "core clock; converts cycles to time, and with pipeline staged says how fast DRAM's is")                         \
    X(placement, "placement", OPTION_CHOICE, "", 0, 3, 0, machine_placements,                                          \
      "sub-core of a warp: its number in the block modulo the sub-cores, or the one with the fewest warps; rotating: " \
      "of several such, another one is first for each block; even: "                                                   \
      "warps go to the sub-cores of all SMs in turns, regardless of blocks (pipeline one-at-a-time)")                  \
    X(measure, "measure", OPTION_CHOICE, "", 0, 1, 0, machine_measures,                                                \
      "cycles of a launch: until the last sub-core is done, or the mean of those that have a warp (pipeline "          \
      "one-at-a-time)")                                                                                                \
    X(issue_exit, "issue_exit", OPTION_BOOLEAN, "", 0, 1, 1, NULL,                                                     \
      "exits without a guard take an issue slot; if not, they take no time at all")                                    \
    X(dispatch_latency, "dispatch_latency", OPTION_INTEGER, "cycles", 0, 1000000, 0, NULL,                             \
      "from the placement of a block to the first issue of its warps")                                                 \
    X(dispatch_interval, "dispatch_interval", OPTION_INTEGER, "cycles", 0, 1000000, 0, NULL,                           \
      "between the placements of two blocks on one SM; 0: any number in a cycle")                                      \
    X(dispatch_warp_interval, "dispatch_warp_interval", OPTION_INTEGER, "cycles", 0, 1000000, 0, NULL,                 \
      "added to dispatch_interval for each warp of the first of the two blocks")                                       \
    X(launch_latency, "launch_latency", OPTION_INTEGER, "cycles", 0, 1000000, 0, NULL,                                 \
      "added to each launch, after its last block has left: what a GPU takes to launch and to drain")                  \
    X(barrier_latency, "barrier_latency", OPTION_INTEGER, "cycles", 0, 100000, 0, NULL,                                \
      "added between the last arrival at a barrier and the next issue of those that waited, which else is 1 cycle")    \
    X(gpcs, "gpcs", OPTION_INTEGER, "", 1, 64, 1, NULL,                                                                \
      "processing clusters (GPCs), among which the SMs are divided evenly: a cluster of blocks runs within one")       \
    X(cluster_bandwidth, "cluster.bandwidth", OPTION_FRACTION, "bytes/cycle", 0, FRACTION(1000000), 0, NULL,           \
      "of an SM's accesses to the shared memory of other blocks of a cluster; 0: any number; their latency is "        \
      "spaces.shared-cluster.latency")                                                                                 \
    X(cluster_barrier, "cluster.barrier_latency", OPTION_INTEGER, "cycles", 0, 100000, 0, NULL,                        \
      "added between the last arrival at the barrier of a cluster and the next issue of those that waited")            \
    X(fences, "fences", OPTION_CHOICE, "", 0, 1, 0, machine_fences,                                                    \
      "fences wait until earlier accesses are performed as far as their scope goes, or until all are over")            \
    X(control_interval, "control_interval", OPTION_INTEGER, "cycles", 1, 100000, 1, NULL,                              \
      "from the issue of a control instruction to the warp's next issue, at least; control words say it instead")      \
    X(dependencies, "dependencies", OPTION_CHOICE, "", 0, 1, 0, machine_dependencies,                                  \
      "what holds an instruction back until its operands are there: a scoreboard, or the control words of its code, "  \
      "and the scoreboard for kernels without them")                                                                   \
    X(guard_latency, "guard_latency", OPTION_INTEGER, "cycles", 0, 32, 0, NULL,                                        \
      "from the issue of an instruction that writes a predicate to one that it guards, at least; only verify "         \
      "--control asks for it")                                                                                         \
    X(fp32_compare, "fp32_compare", OPTION_CHOICE, "", 0, 1, 0, machine_fp32_compares,                                 \
      "class that times comparisons, minimum and maximum of single precision")                                         \
    X(ldc_latency, "ldc_latency", OPTION_INTEGER, "cycles", 0, 1000000, 0, NULL,                                       \
      "of LDC, which loads a constant in machine code; 0: spaces.const.latency, as for constants that are operands")   \
    X(issue_width, "issue.width", OPTION_INTEGER, "instructions", 1, 2, 1, NULL,                                       \
      "instructions of one warp that a sub-core issues in a cycle, the second to another unit than the first")         \
    X(tensor_f16, "tensor.f16", OPTION_INTEGER, "multiply-adds", 0, 65536, 0, NULL,                                    \
      "of a sub-core in a cycle, f16 products summed up in f16; 0: as class tensor says")                              \
    X(tensor_f32, "tensor.f32", OPTION_INTEGER, "multiply-adds", 0, 65536, 0, NULL,                                    \
      "of a sub-core in a cycle, f16 and bf16 products summed up in f32; 0: as class tensor says")                     \
    X(tensor_tf32, "tensor.tf32", OPTION_INTEGER, "multiply-adds", 0, 65536, 0, NULL,                                  \
      "of a sub-core in a cycle, tf32 products; 0: as class tensor says")                                              \
    X(tensor_f64, "tensor.f64", OPTION_INTEGER, "multiply-adds", 0, 65536, 0, NULL,                                    \
      "of a sub-core in a cycle, f64 products; 0: as class tensor says")                                               \
    X(tensor_f8, "tensor.f8", OPTION_INTEGER, "multiply-adds", 0, 65536, 0, NULL,                                      \
      "of a sub-core in a cycle, products of 8-bit floating-point numbers, and of smaller ones; 0: as class tensor "   \
      "says")                                                                                                          \
    X(tensor_s8, "tensor.s8", OPTION_INTEGER, "multiply-adds", 0, 65536, 0, NULL,                                      \
      "of a sub-core in a cycle, products of 8-bit integers; 0: as class tensor says")                                 \
    X(tensor_s4, "tensor.s4", OPTION_INTEGER, "multiply-adds", 0, 65536, 0, NULL,                                      \
      "of a sub-core in a cycle, products of 4-bit integers; 0: as class tensor says")                                 \
    X(tensor_b1, "tensor.b1", OPTION_INTEGER, "multiply-adds", 0, 65536, 0, NULL,                                      \
      "of a sub-core in a cycle, products of bits; 0: as class tensor says")                                           \
    X(tensor_warp, "tensor.warp", OPTION_INTEGER, "percent", 1, 100, 100, NULL,                                        \
      "of these rates that products of one warp reach; those of four warps, wgmma, reach all")                         \
    X(l1_subcores, "l1.subcores", OPTION_INTEGER, "", 1, 16, 1, NULL,                                                  \
      "neighbouring sub-cores that share one L1; must divide the number of sub-cores")                                 \
    X(icache_subcores, "icache.subcores", OPTION_INTEGER, "", 1, 16, 1, NULL,                                          \
      "neighbouring sub-cores that share one instruction cache; must divide the number of sub-cores")                  \
    X(lsu_queue, "lsu.queue", OPTION_INTEGER, "instructions", -1, 4096, -1, NULL,                                      \
      "memory instructions that an SM's load/store unit holds until caches and the port have taken all of their "      \
      "transactions; -1: any number")                                                                                  \
    X(lsu_load_line, "lsu.load_line", OPTION_INTEGER, "cycles", 0, 64, 0, NULL,                                        \
      "for which each line of 128 bytes that a load touches occupies the SM's shared memory; 0: loads do without it")  \
    X(lsu_store_line, "lsu.store_line", OPTION_INTEGER, "cycles", 0, 64, 0, NULL,                                      \
      "the same of a store to global or local memory")                                                                 \
    X(l1_queue, "l1.queue", OPTION_INTEGER, "sectors", -1, 65536, -1, NULL,                                            \
      "of requests that wait for L1's port; -1: any number")                                                           \
    X(l1_mshrs, "l1.mshrs", OPTION_INTEGER, "sectors", -1, 65536, -1, NULL,                                            \
      "that L1 has asked for and not got yet; -1: any number")                                                         \
    X(l1_unified, "l1.unified", OPTION_INTEGER, "bytes", 0, 1 << 20, 0, NULL,                                          \
      "of an SM's array that each launch divides between L1 and shared memory; 0: L1 has l1.size in every launch")     \
    X(l1_shared_sizes, "l1.shared_sizes", OPTION_INTEGERS, "bytes", 0, 1 << 20, OPTION_LENGTH(1, 16),                  \
      machine_shared_sizes,                                                                                            \
      "of l1.unified that shared memory may have: the least that holds what the resident blocks of a launch need")     \
    X(port_width, "port.width", OPTION_INTEGER, "requests", 0, 64, 0, NULL,                                            \
      "that leave an SM in a cycle; 0: any number")                                                                    \
    X(port_sectors, "port.sectors", OPTION_INTEGER, "sectors", 1, 4, 1, NULL,                                          \
      "neighbouring ones that one request may read or write: 1, 2 or 4")                                               \
    X(port_latency, "port.latency", OPTION_INTEGER, "cycles", 0, 100000, 0, NULL, "between an SM and L2, each way")    \
    X(port_queue, "port.queue", OPTION_INTEGER, "sectors", -1, 65536, -1, NULL,                                        \
      "of an SM's requests that are in flight to L2 and not taken by it; -1: any number")                              \
    X(interconnect_clock, "interconnect.clock_mhz", OPTION_FRACTION, "MHz", 0, FRACTION(100000), 0, NULL,              \
      "clock of the links between SMs and L2, which move a flit in a cycle of it; 0: the core clock")                  \
    X(l2_slices, "l2.slices", OPTION_INTEGER, "slices", 1, 256, 1, NULL,                                               \
      "of L2, each with its part of the size and a port of its own")                                                   \
    X(l2_interleave, "l2.interleave", OPTION_INTEGER, "bytes", 32, 1 << 20, 256, NULL,                                 \
      "neighbouring bytes that belong to one slice, a power of two")                                                   \
    X(l2_slice_hash, "l2.slice_hash", OPTION_CHOICE, "", 0, 2, 0, machine_hashes,                                      \
      "which slice a stretch of l2.interleave bytes belongs to: in turns, or hashed with the bits above")              \
    X(l2_queue, "l2.queue", OPTION_INTEGER, "sectors", -1, 65536, -1, NULL,                                            \
      "of requests that wait for a slice's port; -1: any number")                                                      \
    X(l2_mshrs, "l2.mshrs", OPTION_INTEGER, "sectors", -1, 65536, -1, NULL,                                            \
      "that a slice has asked for and not got yet; -1: any number")                                                    \
    X(l2_fill, "l2.fill", OPTION_INTEGER, "bytes", 0, 4096, 0, NULL,                                                   \
      "of a line, aligned, that a slice asks for when a sector of them misses; 0: that sector alone")                  \
    X(l2_clock, "l2.clock_mhz", OPTION_FRACTION, "MHz", 0, FRACTION(100000), 0, NULL,                                  \
      "clock of L2, whose cycles its latency and intervals are given in; 0: the core clock")                           \
    X(tlb_walkers, "tlb.walkers", OPTION_INTEGER, "walks", -1, 1024, -1, NULL,                                         \
      "of page tables that go on at the same time; -1: any number")                                                    \
    X(tlb_walk, "tlb.walk", OPTION_INTEGER, "cycles", 0, 1000000, 0, NULL,                                             \
      "of a walk of the page tables, after the misses in all TLBs")                                                    \
    X(dram_channels, "dram.channels", OPTION_INTEGER, "channels", 1, 256, 1, NULL, "of device memory, each by itself") \
    X(dram_interleave, "dram.interleave", OPTION_INTEGER, "bytes", 32, 1 << 20, 256, NULL,                             \
      "neighbouring bytes that belong to one channel, a power of two")                                                 \
    X(dram_channel_hash, "dram.channel_hash", OPTION_CHOICE, "", 0, 2, 0, machine_hashes,                              \
      "which channel a stretch of dram.interleave bytes belongs to: in turns, or hashed with the bits above")          \
    X(warm_l2, "warm_l2", OPTION_BOOLEAN, "", 0, 1, 0, NULL,                                                           \
      "what the host wrote before a launch is in L2 when it begins, as when copies go through L2; with caches that "   \
      "are kept, before the first launch only; pipeline staged: what the host copied since the launch before")         \
    X(flush_caches, "flush_caches", OPTION_BOOLEAN, "", 0, 1, 1, NULL, "caches are empty when a launch begins")        \
    X(copy_bandwidth, "copy.bandwidth", OPTION_FRACTION, "bytes/cycle", 0, FRACTION(1000000), 0, NULL,                 \
      "of copies between host and device, in each direction; 0: they take no time")                                    \
    X(copy_latency, "copy.latency", OPTION_INTEGER, "cycles", 0, 1 << 30, 0, NULL,                                     \
      "added to each copy and memset that takes time")                                                                 \
    X(copy_engines, "copy.engines", OPTION_INTEGER, "engines", 1, 2, 2, NULL,                                          \
      "for copies between host and device: one for each direction, or one for both")                                   \
    X(copy_device_bandwidth, "copy.device_bandwidth", OPTION_FRACTION, "bytes/cycle", 0, FRACTION(1000000), 0, NULL,   \
      "of copies within the device, and of memsets; 0: they take no time")                                             \
    X(link_bandwidth, "link.bandwidth", OPTION_FRACTION, "bytes/cycle", 0, FRACTION(1000000), 0, NULL,                 \
      "of copies from a device to another, in each direction; 0: they take no time")                                   \
    X(link_latency, "link.latency", OPTION_INTEGER, "cycles", 0, 1 << 30, 0, NULL,                                     \
      "added to each copy between devices that takes time")                                                            \
    X(grids, "limits.grids", OPTION_INTEGER, "launches", 1, 1024, 128, NULL,                                           \
      "on the chip at the same time, where the streams of a trace allow several")                                      \
    X(threads, "limits.threads", OPTION_INTEGER, "threads", 32, 2048, 2048, NULL, "resident threads per SM")           \
    X(warps, "limits.warps", OPTION_INTEGER, "warps", 1, 64, 64, NULL, "resident warps per SM")                        \
    X(blocks, "limits.blocks", OPTION_INTEGER, "blocks", 1, 64, 32, NULL, "resident blocks per SM")                    \
    X(registers, "limits.registers", OPTION_INTEGER, "registers", 32, 1 << 24, 65536, NULL, "32-bit registers per SM") \
    X(register_granularity, "limits.register_granularity", OPTION_INTEGER, "registers", 1, 65536, 256, NULL,           \
      "registers are given to a warp in multiples of this")                                                            \
    X(shared_bytes, "limits.shared", OPTION_INTEGER, "bytes", 0, 1 << 28, 65536, NULL, "shared memory per SM")         \
    X(shared_granularity, "limits.shared_granularity", OPTION_INTEGER, "bytes", 1, 65536, 256, NULL,                   \
      "shared memory is given to a block in multiples of this")                                                        \
    X(shared_reserved, "limits.shared_reserved", OPTION_INTEGER, "bytes", 0, 65536, 0, NULL,                           \
      "of shared memory that each block takes for the system, besides its own")

/* What affects no cycle, rows of the same form: the area, which sweeps keep beside their results, and properties that
 * CUDA programs ask for. The number of SMs, the clock, the size of L2 and the limits of an SM come from the options
 * above. The clock and the bus width of memory cannot be
 * derived from `dram`: its models have a ratio of clocks, bytes per cycle or an interval, each rounded, and no width. A
 * test compares both. */
#define DEVICE_OPTIONS(X)                                                                                              \
    X(area, "area", OPTION_FRACTION, "mm²", 0, FRACTION(100000), 0, NULL,                                              \
      "of the die, to compare machines by; affects no cycle; 0: not known")                                            \
    X(device_name, "device.name", OPTION_NAME, "", 0, 0, OPTION_LENGTH(0, 255), machine_no_name,                       \
      "that programs see, as cudaGetDeviceProperties gives it; empty: the machine's")                                  \
    X(device_capability, "device.capability", OPTION_CHOICE, "", 0, 21, 0, machine_capabilities,                       \
      "compute capability that programs see, 70 for 7.0; unknown: 61, or 75 for programs with CUDA 13")                \
    X(device_memory, "device.memory", OPTION_INTEGER, "bytes", INT64_C(1) << 26, INT64_C(1) << 40, INT64_C(1) << 33,   \
      NULL, "of device memory that programs may allocate")                                                             \
    X(device_memory_clock, "device.memory_clock_mhz", OPTION_FRACTION, "MHz", FRACTION(1), FRACTION(100000),           \
      FRACTION(5505), NULL,                                                                                            \
      "of device memory, as the driver tells it: clock times width of the bus times 2 is the bandwidth")               \
    X(device_memory_bus, "device.memory_bus", OPTION_INTEGER, "bits", 8, 65536, 256, NULL,                             \
      "width of device memory's bus")

/* Options of machines of kind `cores`, besides dram, clock_mhz, barrier_latency and area. Only these machines have
 * them, but for `kind`, and they have no others. docs/timing-model.md says what they mean. */
#define CORE_CACHE_OPTIONS(X, field, key, of)                                                                          \
    X(field##_line, key ".line", OPTION_INTEGER, "bytes", 8, 4096, 64, NULL, "line size of " of ", a power of two")    \
    X(field##_ways, key ".ways", OPTION_INTEGER, "lines", 1, 64, 4, NULL, "lines of a set; 1: direct-mapped")          \
    X(field##_replacement, key ".replacement", OPTION_CHOICE, "", 0, REPLACEMENT_COUNT - 1, REPLACEMENT_lru,           \
      replacement_names, replacement_help)
#define CORE_OPTIONS(X)                                                                                                \
    X(kind, "kind", OPTION_CHOICE, "", 0, 1, MACHINE_GPU, machine_kinds,                                               \
      "of the chip: a GPU, or many cores that execute programs by themselves")                                         \
    X(cores, "cores", OPTION_INTEGER, "", 1, 4096, 1, NULL, "cores of the chip, each on a tile of the mesh")           \
    X(mesh_columns, "mesh.columns", OPTION_INTEGER, "tiles", 1, 4096, 1, NULL, "in a row of the mesh")                 \
    X(mesh_hop, "mesh.hop", OPTION_INTEGER, "cycles", 0, 1000, 1, NULL, "from a tile to the next one")                 \
    X(mesh_width, "mesh.width", OPTION_INTEGER, "bytes", 1, 4096, 8, NULL,                                             \
      "of a message that a link moves in a cycle")                                                                     \
    X(mesh_header, "mesh.header", OPTION_INTEGER, "bytes", 1, 256, 8, NULL, "of each message, before its data")        \
    X(coherence, "coherence", OPTION_CHOICE, "", 0, 1, COHERENCE_NONE, machine_coherences,                             \
      "of the cores' data caches: none, or msi, with a directory at the banks of L2")                                  \
    X(l1i_size, "l1i.size", OPTION_INTEGER, "bytes", 8, 1 << 24, 32768, NULL, "of a core's instruction cache")         \
    X(l1i_latency, "l1i.latency", OPTION_INTEGER, "cycles", 0, 1000, 0, NULL, "that a fetch adds to an instruction")   \
    CORE_CACHE_OPTIONS(X, l1i, "l1i", "a core's instruction cache")                                                    \
    X(l1d_size, "l1d.size", OPTION_INTEGER, "bytes", 8, 1 << 24, 32768, NULL, "of a core's data cache")                \
    X(l1d_latency, "l1d.latency", OPTION_INTEGER, "cycles", 0, 1000, 0, NULL, "that a look-up adds to an instruction") \
    CORE_CACHE_OPTIONS(X, l1d, "l1d", "a core's data cache")                                                           \
    X(l2_size, "l2.size", OPTION_INTEGER, "bytes", 8, INT64_C(1) << 32, 1 << 20, NULL, "of all banks of L2")           \
    X(l2_banks, "l2.banks", OPTION_INTEGER, "banks", 1, 4096, 1, NULL,                                                 \
      "of L2, on tiles that are spread evenly; neighbouring lines belong to neighbouring banks")                       \
    X(l2_latency, "l2.latency", OPTION_INTEGER, "cycles", 0, 10000, 1, NULL, "of a look-up in a bank")                 \
    X(l2_interval, "l2.interval", OPTION_INTEGER, "cycles", 0, 10000, 1, NULL, "between two look-ups of a bank")       \
    CORE_CACHE_OPTIONS(X, l2, "l2", "L2")

/* Older names of keys: X(old, key). */
#define MACHINE_ALIASES(X)                                                                                             \
    X("l1_subcores", "l1.subcores")                                                                                    \
    X("icache_subcores", "icache.subcores")

/* Keys that were removed, and what replaces them: X(old, key). */
#define MACHINE_FORMER_KEYS(X)                                                                                         \
    X("pipeline.l1_latency", "l1.latency")                                                                             \
    X("pipeline.l1_banks", "l1.banks")                                                                                 \
    X("pipeline.l1_sets", "l1.sets")                                                                                   \
    X("pipeline.l1_bytes", "l1.unified")                                                                               \
    X("pipeline.l1_shared_small", "l1.shared_sizes")                                                                   \
    X("pipeline.l1_shared_large", "l1.shared_sizes")                                                                   \
    X("pipeline.l1_mshrs", "l1.mshrs")                                                                                 \
    X("pipeline.l1_merges", "l1.merges")                                                                               \
    X("pipeline.l1_queue", "l1.misses")                                                                                \
    X("pipeline.l1_dirty", "l1.dirty")                                                                                 \
    X("pipeline.channels", "dram.channels")                                                                            \
    X("pipeline.channel_bytes", "dram.interleave")                                                                     \
    X("pipeline.channel_slices", "l2.slices")                                                                          \
    X("pipeline.l2_sets", "l2.sets")                                                                                   \
    X("pipeline.l2_ways", "l2.size")                                                                                   \
    X("pipeline.l2_mshrs", "l2.mshrs")                                                                                 \
    X("pipeline.l2_merges", "l2.merges")                                                                               \
    X("pipeline.l2_queue", "l2.misses")                                                                                \
    X("pipeline.l2_latency", "l2.latency")                                                                             \
    X("pipeline.slice_queues", "l2.queue")                                                                             \
    X("pipeline.core_khz", "clock_mhz")                                                                                \
    X("pipeline.dram_khz", "dram.clock_mhz")                                                                           \
    X("pipeline.dram_latency", "dram.latency")                                                                         \
    X("pipeline.dram_queue", "dram.queue")                                                                             \
    X("pipeline.dram_returns", "dram.returns")                                                                         \
    X("pipeline.dram_banks", "dram.banks")                                                                             \
    X("pipeline.dram_groups", "dram.groups")                                                                           \
    X("pipeline.t_ccd", "dram.t_ccd")                                                                                  \
    X("pipeline.t_ccdl", "dram.t_ccdl")                                                                                \
    X("pipeline.t_rrd", "dram.t_rrd")                                                                                  \
    X("pipeline.t_rcd", "dram.t_rcd")                                                                                  \
    X("pipeline.t_ras", "dram.t_ras")                                                                                  \
    X("pipeline.t_rp", "dram.t_rp")                                                                                    \
    X("pipeline.t_rc", "dram.t_rc")                                                                                    \
    X("pipeline.t_cl", "dram.t_cl")                                                                                    \
    X("pipeline.t_wl", "dram.t_wl")                                                                                    \
    X("pipeline.t_cdlr", "dram.t_cdlr")                                                                                \
    X("pipeline.t_wr", "dram.t_wr")                                                                                    \
    X("pipeline.t_burst", "dram.t_burst")                                                                              \
    X("pipeline.t_rtpl", "dram.t_rtpl")

extern const char *const machine_kinds[];
enum { MACHINE_GPU, MACHINE_CORES };
extern const char *const machine_coherences[];
enum { COHERENCE_NONE, COHERENCE_MSI };
extern const char *const machine_placements[];
extern const char *const machine_no_name[];
extern const char *const machine_capabilities[]; /* "unknown", "50", ...: those that programs may be compiled for */
extern const char *const machine_fences[];
extern const char *const machine_shared_sizes[];
extern const char *const machine_hashes[]; /* enum of hw-models/cache/set-hash.h */
enum { PLACEMENT_WARP_ID, PLACEMENT_BALANCED, PLACEMENT_EVEN, PLACEMENT_ROTATING };
extern const char *const machine_measures[];
enum { MEASURE_GRID, MEASURE_PROCESSOR };
enum { FENCES_BY_SCOPE, FENCES_ALL };
extern const char *const machine_dependencies[];
enum { DEPENDENCIES_SCOREBOARD, DEPENDENCIES_CONTROL_WORDS };
extern const char *const machine_fp32_compares[];
enum { FP32_COMPARE_FP32, FP32_COMPARE_INT };

#define MACHINE_UNITS 16
#define MODEL_OPTIONS 64  /* most options that a model may have */
#define MODEL_LISTS 256   /* words behind them for its lists and texts */
#define MACHINE_LISTS 256 /* the same for the chip's own options */

struct machine_part {
    const struct model *model; /* the head of a struct of its kind */
    int64_t options[MODEL_OPTIONS + MODEL_LISTS];
};

struct machine_timing {
    uint8_t unit;        /* index into machine.units */
    uint32_t initiation; /* cycles, at least 1 */
    uint32_t latency;    /* cycles, after the initiation */
};

struct machine {
    char name[64];
#define X(field, ...) int64_t field;
    MACHINE_OPTIONS(X)
    DEVICE_OPTIONS(X)
    CORE_OPTIONS(X)
#undef X
    int64_t lists[MACHINE_LISTS]; /* see machine_option_list */
    /* Of kind `cores`: only dram and pipeline are chosen, there are no units, classes and spaces, and each core counts
     * as an SM of one sub-core. */
    struct machine_part scheduler, shared, coalescer, l1, l2, dram, interconnect, tlb, l2_tlb, icache, constants,
        pipeline, memory;
    uint32_t unit_count;
    char unit_name[MACHINE_UNITS][24];
    struct machine_part units[MACHINE_UNITS];
    struct machine_timing classes[RP_CLASS_COUNT]; /* by enum rp_class */
    struct machine_timing spaces[RP_SPACE_COUNT];  /* memory instructions, by the space they access; NONE: unused */
    /* Every resolved option, in lines `key = value`. DEVICE_OPTIONS affect no cycle: they have a text of their own and
     * are not hashed, so that machines of equal hash give equal cycles. */
    char *text, *device_text;
    char hash[65]; /* SHA-256 of text, in hex */
};

struct machine_setting {
    const char *key, *value;
};

/* A machine to open: its name, and settings. */
struct machine_request {
    const char *name; /* a name, looked for in the machine folders, or a path (it has a slash or ends in .cfg) */
    const struct machine_setting *settings;
    size_t setting_count;
    /* For messages: the option that gave the settings from number `late` on, if there is one. --set gave the others. */
    const char *late_option;
    size_t late;
    /* NULL, or a flag for each setting. A late setting is ignored, and its flag is set, if its part has no such option
     * with the chosen model, and a late setting chose that model, too, or machine_varies is set and the machine's file
     * chose it. */
    bool *left_out;
    bool machine_varies; /* the machine is one of several that are compared */
    /* NULL, or set if the settings are not possible, but others of their kind are: they contradict one another, a late
     * number is beyond its limits, or with machine_varies a late setting is of a unit that the machine does not have.
     */
    bool *inconsistent;
    const struct model_set *models; /* NULL: the built-in ones */
    /* NULL, or returns the name among `count` that is nearest to `word`, NULL if none is near: for "did you mean". */
    const char *(*nearest)(const char *word, const char *const *names, size_t count);
    /* Other schedulers that the settings are for. An option that one of them has is ignored without an error if the
     * scheduler of the machine does not have it. */
    const char *const *schedulers;
    size_t scheduler_count;
};

/* Two keys whose values contradict each other, or one whose value is not possible (the second is NULL), and why. */
struct machine_misfit {
    const char *keys[2];
    char text[300];
};
/* Checks the values of a machine for the engines. False: *out says what does not fit. */
typedef bool machine_fits_fn(const struct machine *, struct machine_misfit *out);

/* What engines add to machines; session/machine_open.h fills it in. */
struct machine_rules {
    const struct model_set *models; /* with pipelines; the first one is the default */
    machine_fits_fn *fits;
};

/* Errors name the file and line, or the setting. request->models is not used. */
struct machine *machine_read(const struct machine_request *, const struct machine_rules *, struct rp_error *);
/* The same from the text of a machine file; `name` stands for the file in messages. */
struct machine *machine_read_text(const struct machine_request *, const struct machine_rules *, const char *text,
                                  size_t size, struct rp_error *);
void machine_free(struct machine *);

/* Names of the machines that can be opened by name, sorted; *names and what it points to are one allocation that the
 * caller frees. */
size_t machine_list(char ***names);
/* The comment lines at the head of a machine file, without their marks, as one paragraph; freed by the caller. "" when
 * there are none, NULL when the file cannot be read. */
char *machine_summary(const char *name);

/* Visits the rows of the chip's own options, then those of the device and those of chips of many cores. */
void machine_each_option(void (*visit)(void *, const struct model_option *), void *);
/* Visits every model of a set with the key of its part: "scheduler", "l2", "units.NAME". */
void machine_each_model(const struct model_set *, void (*visit)(void *, const char *part, const struct model *),
                        void *);

static inline bool machine_is_cores(const struct machine *m) { return m->kind == MACHINE_CORES; }

/* How many neighbouring sub-cores share an instance of this unit: all, if the SM has fewer than the unit is for; each
 * has its own: 1. */
static inline uint32_t machine_unit_sharers(const struct machine *m, uint32_t unit)
{
    const struct unit_model *model = (const struct unit_model *)m->units[unit].model;
    const uint32_t sharers = model->sharers ? model->sharers(m->units[unit].options) : 1;
    return sharers < m->subcores ? sharers : (uint32_t)m->subcores;
}

/* The lists and texts among the chip's own options, by the value of their field. */
static inline const int64_t *machine_option_list(const struct machine *m, int64_t field, size_t *count)
{
    *count = (size_t)m->lists[field];
    return m->lists + field + 1;
}
static inline const char *machine_option_text(const struct machine *m, int64_t field)
{
    return (const char *)(m->lists + field);
}

#define OPTION_PRINTED 2048 /* bytes that hold any value */
/* The default of an option, as text. */
void option_print_initial(const struct model_option *, char out[OPTION_PRINTED]);
/* The valid values of an option: "1..1024 cycles", "true, false", "3 of 0..1". */
void option_print_limits(const struct model_option *, char out[OPTION_PRINTED]);

#endif
