#include "tools/gpgpusim/tables.h"

#include "hw-models/cache/staged.h"
#include "hw-models/dram/staged.h"
#include "replay/engines/staged/options.h"

#define COUNT(list) const size_t list##_count = sizeof list / sizeof *list

const struct gpgpusim_number gpgpusim_numbers[] = {
    {"-gpgpu_kernel_launch_latency", PART_PIPELINE, STAGED_LAUNCH_LATENCY, 0, false},
    {"-gpgpu_inst_fetch_throughput", PART_PIPELINE, STAGED_FETCHES, 1, false},
    {"-gpgpu_operand_collector_num_units_gen", PART_PIPELINE, STAGED_COLLECTORS, 8, true},
    {"-gpgpu_num_reg_banks", PART_PIPELINE, STAGED_REGISTER_BANKS, 8, true},
    {"-gpgpu_reg_file_port_throughput", PART_PIPELINE, STAGED_REGISTER_STEPS, 1, false},
    {"-gpgpu_smem_latency", PART_PIPELINE, STAGED_SHARED_LATENCY, 3, false},
    {"-gpgpu_l1_latency", PART_L1, STAGED_CACHE_LATENCY, 1, false},
    {"-gpgpu_l1_banks", PART_L1, STAGED_CACHE_BANKS, 1, false},
    {"-gpgpu_l1_cache_write_ratio", PART_L1, STAGED_CACHE_DIRTY, 0, false},
    {"-gpgpu_n_ldst_response_buffer_size", PART_PIPELINE, STAGED_REPLIES, 2, false},
    {"-gpgpu_n_cluster_ejection_buffer_size", PART_PIPELINE, STAGED_EJECTION, 8, false},
    {"-icnt_in_buffer_limit", PART_PIPELINE, STAGED_CROSSBAR_BUFFER, 64, false},
    {"-gpgpu_l2_rop_latency", PART_L2, STAGED_CACHE_LATENCY, 85, false},
    {"-dram_latency", PART_DRAM, STAGED_DRAM_LATENCY, 30, false},
    {"-gpgpu_frfcfs_dram_sched_queue_size", PART_DRAM, STAGED_DRAM_QUEUE, 65536, false},
    {"-gpgpu_dram_return_queue_size", PART_DRAM, STAGED_DRAM_RETURNS, 65536, false},
};
COUNT(gpgpusim_numbers);

const struct gpgpusim_time gpgpusim_times[] = {
    {"nbk", STAGED_DRAM_BANKS},   {"nbkgrp", STAGED_DRAM_GROUPS}, {"CCD", STAGED_DRAM_T_CCD},
    {"CCDL", STAGED_DRAM_T_CCDL}, {"RRD", STAGED_DRAM_T_RRD},     {"RCD", STAGED_DRAM_T_RCD},
    {"RAS", STAGED_DRAM_T_RAS},   {"RP", STAGED_DRAM_T_RP},       {"RC", STAGED_DRAM_T_RC},
    {"CL", STAGED_DRAM_T_CL},     {"WL", STAGED_DRAM_T_WL},       {"CDLR", STAGED_DRAM_T_CDLR},
    {"WR", STAGED_DRAM_T_WR},     {"RTPL", STAGED_DRAM_T_RTPL},
};
COUNT(gpgpusim_times);

const struct gpgpusim_expected gpgpusim_expected[] = {
    {"-gpgpu_sub_core_model", "1", "each scheduler has units, collectors and registers of its own here"},
    {"-gpgpu_enable_specialized_operand_collector", "0", "collectors are generic here"},
    {"-gpgpu_operand_collector_num_in_ports_gen", "8",
     "as many instructions move into collectors as there is room for here"},
    {"-gpgpu_operand_collector_num_out_ports_gen", "8", "as many instructions leave collectors as are ready here"},
    {"-gpgpu_simd_model", "1", "a divergent branch is undone at its post-dominator"},
    {"-gpgpu_num_sp_units", "N", "a sub-core has one unit of each kind here"},
    {"-gpgpu_num_sfu_units", "N", "a sub-core has one unit of each kind here"},
    {"-gpgpu_num_dp_units", "N", "a sub-core has one unit of each kind here"},
    {"-gpgpu_num_int_units", "N", "a sub-core has one unit of each kind here"},
    {"-gpgpu_num_tensor_core_units", "N", "a sub-core has one unit of each kind here"},
    {"-gpgpu_num_mem_units", "1", "an SM has one load/store unit here"},
    {"-gpgpu_max_insn_issue_per_warp", "1", "a warp issues one instruction in a cycle here"},
    {"-gpgpu_warp_issue_shader", "0", "schedulers take warps in turns here"},
    {"-gpgpu_TB_launch_latency", "0", "a block costs nothing to launch here"},
    {"-gpgpu_num_cta_barriers", "16", "a block has 16 barriers"},
    {"-gpgpu_shmem_num_banks", "32", "shared memory has 32 banks here"},
    {"-gpgpu_shmem_limited_broadcast", "0", "all words of a pass are broadcast here"},
    {"-gpgpu_shmem_warp_parts", "1", "shared memory takes a whole warp at a time here"},
    {"-gpgpu_local_mem_map", "1", "local memory is interleaved by thread"},
    {"-gpgpu_gmem_skip_L1D", "0", "global loads look in L1 here"},
    {"-gpgpu_flush_l1_cache", "1", "L1 is emptied with the last block of an SM here"},
    {"-gpgpu_l1_banks_byte_interleaving", "32", "neighbouring sectors are in neighbouring banks of L1 here"},
    {"-gpgpu_l1_banks_hashing_function", "0", "banks of L1 are not hashed here"},
    {"-gpgpu_mem_unit_ports", "1", "the load/store unit has one port here"},
    {"-gpgpu_cache:dl2_texture_only", "0", "L2 holds all data here"},
    {"-gpgpu_memory_partition_indexing", "0", "channels are not hashed here"},
    {"-gpgpu_perfect_mem", "0", "memory is not perfect here"},
    {"-gpgpu_simple_dram_model", "0", "device memory has banks and rows here"},
    {"-network_mode", "2", "the network is a crossbar here, as the built-in one"},
    {"-icnt_subnets", "2", "requests and replies have a crossbar each here"},
    {"-icnt_arbiter_algo", "1", "the crossbar serves its inputs in turns here"},
    {"-dram_dual_bus_interface", "0", "rows and columns share a command bus here"},
    {"-dram_bnk_indexing_policy", "0", "banks are not hashed here"},
    {"-dram_bnkgrp_indexing_policy", "1", "neighbouring banks are in different groups here"},
    {"-dram_seperate_write_queue_enable", "0", "reads and writes share a queue here"},
    {"-dram_write_queue_size", "", "reads and writes share a queue here"},
    {"-dram_elimnate_rw_turnaround", "0", "the bus takes time to turn round here"},
    {"-gpgpu_concurrent_kernel_sm", "0", "launches run one after the other here"},
};
COUNT(gpgpusim_expected);

const char *const gpgpusim_without_effect[] = {
    /* affect execution, not timing */
    "-gpgpu_ptx_*",
    "-gpgpu_compute_capability_*",
    "-gpgpu_stack_size_limit",
    "-gpgpu_heap_size_limit",
    "-gpgpu_runtime_*",
    "-gpgpu_registers_per_block",
    "-gpgpu_occupancy_sm_number",
    "-gpgpu_shmem_sizeDefault",
    "-gpgpu_shmem_size_Pref*",
    "-gpgpu_shmem_per_block",
    "-gpgpu_max_concurrent_kernel",
    "-gpgpu_tensor_core_avail",
    "-gpgpu_dual_issue_diff_exec_units",
    "-gpgpu_coalesce_arch",
    "-gpgpu_ignore_resources_limitation",
    "-gpgpu_clock_gated_*",
    "-gpgpu_deadlock_detect",
    "-gpgpu_max_cycle",
    "-gpgpu_max_insn",
    "-gpgpu_max_cta",
    "-gpgpu_max_completed_cta",
    "-gpgpu_num_cta_barriers",
    "-gpgpu_prefer_l1",
    "-gpgpu_flush_l2_cache",
    /* these caches are perfect here, unless an option enables them */
    "-gpgpu_cache:il1",
    "-gpgpu_tex_cache:l1",
    "-gpgpu_const_cache:l1",
    /* packets have one length in GPGPU-Sim, too */
    "-icnt_flit_size",
    "-icnt_out_buffer_limit",
    "-icnt_verbose",
    "-icnt_grant_cycles",
    "-inter_config_file",
    "-gpgpu_mem_address_mask",
    /* latencies and units of PTX, for which trace mode has its own */
    "-ptx_opcode_*",
    "-trace_opcode_*",
    "-specialized_unit_*",
    "-gpgpu_num_*",
    "-gpgpu_operand_collector_num_*",
    /* statistics, power, debugging */
    "-gpgpu_memlatency_stat",
    "-gpgpu_runtime_stat",
    "-enable_ptx_file_line_stats",
    "-visualizer_*",
    "-power_*",
    "-gpgpu_cflog_interval",
    "-trace_enabled",
    "-trace_components",
    "-trace_sampling_*",
    "-gpuwattch_*",
    "-accelwattch_*",
    "-liveness_message_freq",
    "-gpgpu_stat_sample_freq",
    "-gpgpu_experimental_lib_support",
    "-checkpoint_*",
    "-resume_*",
};
COUNT(gpgpusim_without_effect);

const char *const gpgpusim_required[] = {
    "-gpgpu_n_clusters",         "-gpgpu_n_mem",
    "-gpgpu_clock_domains",      "-gpgpu_shader_core_pipeline",
    "-gpgpu_shader_cta",         "-gpgpu_shader_registers",
    "-gpgpu_num_sched_per_core", "-gpgpu_scheduler",
    "-gpgpu_shmem_size",         "-gpgpu_cache:dl1",
    "-gpgpu_cache:dl2",          "-gpgpu_dram_timing_opt",
};
COUNT(gpgpusim_required);

const char *const gpgpusim_parts[] = {"shared = \"banks\";", "coalescer = \"segments\";"};
COUNT(gpgpusim_parts);

enum group { INT, INT_MUL, INT_DIV, SP, FP16, FP_DIV, DP, DP_DIV, SFU, BRANCH, TEX, TENSOR, UDP, ISSUE, MEMORY };

#define OF_PTX(kind, index) "-ptx_opcode_latency_" kind, "-ptx_opcode_initiation_" kind, index
#define NOT_OF_PTX NULL, NULL, 0
#define TRACE(kind) "-trace_opcode_latency_initiation_" kind

const struct gpgpusim_group gpgpusim_groups[] = {
    [INT] = {"int", TRACE("int"), OF_PTX("int", 0), NULL, 0, 0, 0},
    [INT_MUL] = {"int", TRACE("int"), OF_PTX("int", 2), NULL, 0, 0, 0},
    [INT_DIV] = {"int", TRACE("int"), OF_PTX("int", 4), NULL, 0, 0, 0},
    [SP] = {"sp", TRACE("sp"), OF_PTX("fp", 0), NULL, 0, 0, 0},
    [FP16] = {"sp", TRACE("sp"), OF_PTX("fp", 0), NULL, 0, 0, 1}, /* HFMA2 has an initiation of 1 in trace mode */
    [FP_DIV] = {"sfu", TRACE("sfu"), OF_PTX("fp", 4), NULL, 0, 0, 0},
    [DP] = {"dp", TRACE("dp"), OF_PTX("dp", 0), NULL, 0, 0, 0},
    [DP_DIV] = {"dp", TRACE("dp"), OF_PTX("dp", 4), NULL, 0, 0, 0},
    [SFU] = {"sfu", TRACE("sfu"), OF_PTX("sfu", 0), NULL, 0, 0, 0},
    [BRANCH] = {"branch", "BRA", NOT_OF_PTX, &gpgpusim_groups[INT], 0, 0, 0},
    [TEX] = {"tex", "TEX", NOT_OF_PTX, NULL, 200, 4, 0}, /* as in all of Accel-Sim's configurations */
    [TENSOR] = {"tensor", "TENSOR", "-ptx_opcode_latency_tesnor", "-ptx_opcode_initiation_tensor", 0,
                &gpgpusim_groups[SP], 0, 0, 0},
    [UDP] = {"udp", "UDP", NOT_OF_PTX, &gpgpusim_groups[INT], 0, 0, 0},
    [ISSUE] = {"int", NULL, NOT_OF_PTX, NULL, 1, 1, 0},
    [MEMORY] = {"mem", NULL, NOT_OF_PTX, NULL, 1, 1, 0},
};

const struct gpgpusim_class gpgpusim_classes[] = {
    {"nop", INT},        {"move", INT},      {"int", INT},         {"int-mul", INT_MUL}, {"int-div", INT_DIV},
    {"fp16", FP16},      {"fp32", SP},       {"fp32-div", FP_DIV}, {"fp64", DP},         {"fp64-div", DP_DIV},
    {"sfu", SFU},        {"convert", INT},   {"convert64", INT},   {"shuffle", INT},     {"vote", INT},
    {"control", BRANCH}, {"barrier", ISSUE}, {"fence", MEMORY},    {"texture", TEX},     {"tensor", TENSOR},
    {"async", INT},      {"uniform", UDP},
};
const size_t gpgpusim_class_count = sizeof gpgpusim_classes / sizeof *gpgpusim_classes;

const struct gpgpusim_class gpgpusim_spaces[] = {
    {"global", MEMORY}, {"local", MEMORY}, {"shared", MEMORY}, {"const", INT},
    {"param", INT},     {"texture", TEX},  {"surface", INT},   {"shared-cluster", MEMORY},
};
const size_t gpgpusim_space_count = sizeof gpgpusim_spaces / sizeof *gpgpusim_spaces;
