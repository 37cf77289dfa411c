# ---- speed ----------------------------------------------------------------------------------------------------------
# Programs of tests/bench; bench-docs writes docs/performance.md from what it measures.
BENCHES := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(wildcard tests/bench/*.c))
FIGURES := $(BUILD)/libfigures.a
$(FIGURES): $(call objects,tests/bench/figures)
	$(archive)
$(BENCHES): $(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(FIGURES) $(SUPPORT) $(WCET) $(LIBS) $(LINK_FLAGS)
	$(link)
WITH_MACHINES = REPRISE=$(BUILD)/reprise REPRISE_MACHINES=hw-models/machines

BENCH_CUBINS := $(if $(TOOLCHAIN),$(BUILD)/cubin/sgemm.sm_62.O3.cubin $(BUILD)/cubin/sgemm.sm_86.O3.cubin \
  $(BUILD)/cubin/matrices.sm_80.O3.cubin $(BUILD)/cubin/all/sm_90.O0.cubin)
$(BUILD)/cubin/matrices.sm_80.O3.cubin: tests/golden/nvcc/matrices-80.ptx
	@mkdir -p $(@D)
	@sed 's/^\.version .*/.version 8.8/' $< > $@.ptx
	@$(BUILD)/toolchain/12.9/ptxas -O3 -arch=sm_80 -o $@ $@.ptx
	@rm $@.ptx
.PHONY: bench bench-docs bench-programs bench-parity bench-where bench-approximations bench-sampling bench-build bench-before
bench-programs: $(BENCHES) $(BUILD)/reprise $(KERNELS) $(BENCH_CUBINS)
bench: deps ## measure the speeds that docs/performance.md states
	@$(PARALLEL) bench-programs
	@for b in $(filter-out %/approximations %/sampling,$(BENCHES)); do BUILD=$(BUILD) $$b || exit; done
	@BUILD=$(BUILD) tests/bench/cuda
bench-parity: all ## cycles of rtx2060-accelsim beside those of Accel-Sim
	@$(WITH_MACHINES) python3 tests/bench/parity.py
	@$(WITH_MACHINES) python3 tests/bench/parity.py --speed
bench-where: all ## where replays spend their time, as perf sees it (after bench)
	@BUILD=$(BUILD) python3 tests/bench/where.py
# SAMPLING=blocks, cases, small, launches, confidences, barriers: a part of it; waves: how launches are divided into waves.
bench-sampling: deps ## sampled replays beside whole ones: errors, intervals, and what they save
	@$(PARALLEL) bench-programs
	@BUILD=$(BUILD) $(BUILD)/bench/sampling $(SAMPLING)
# FUNCTION=sin: one function; PART=1/8: every eighth group of 32 arguments.
bench-approximations: deps ## rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh .approx.f32 over all 2^32 arguments
	@$(PARALLEL) $(BUILD)/bench/approximations
	@$(BUILD)/bench/approximations $(FUNCTION) $(PART)
# Beside a commit that compiled most objects twice.
BUILD_BEFORE ?= 0eb1107
bench-build: deps ## processor time of make demo and make, in fresh clones of what is committed and of BUILD_BEFORE
	@tests/bench/build $(BUILD_BEFORE)
# BEFORE=FOLDER/reprise: the program of the other build.
bench-before: all ## processor time of the programs of tests/cuda, beside another build's, BEFORE=REPRISE
	@BUILD=$(BUILD) python3 tests/bench/before.py $(BEFORE)
bench-docs: deps ## write docs/performance.md from what is measured
	@$(PARALLEL) bench-programs
	@BUILD=$(BUILD) $(BUILD)/bench/bench --markdown > $(BUILD)/bench/performance.md
	@BUILD=$(BUILD) python3 tests/bench/where.py --markdown >> $(BUILD)/bench/performance.md
	@tests/bench/build --markdown $(BUILD_BEFORE) >> $(BUILD)/bench/performance.md
	@cp $(BUILD)/bench/performance.md docs/performance.md

# ---- bounds, and figures of papers ----------------------------------------------------------------------------------
$(BUILD)/record-cases: $(BUILD)/obj/tests/soundness/record.o $(SUPPORT) $(LIBS) $(LINK_FLAGS)
	$(link)
$(BUILD)/opaque: $(BUILD)/obj/tests/soundness/opaque.o $(SUPPORT) $(LIBS) $(LINK_FLAGS)
	$(link)
$(BUILD)/crowd: $(BUILD)/obj/tests/soundness/crowd.o $(SUPPORT) $(WCET) $(LIBS) $(LINK_FLAGS)
	$(link)
$(BUILD)/soundness: $(BUILD)/obj/tests/soundness/soundness.o $(SUPPORT) $(WCET) $(LIBS) $(LINK_FLAGS)
	$(link)
# Random blocks against the bounds of reprise wcet: SOUNDNESS launches, six policies each.
SOUNDNESS ?= 1000000
.PHONY: soundness wcet-tables validation-pastis validation-latencies validation-ablate validation-gemm validation-hardware validation-without validation-scaling validation-sampling validation-micro micro-kit memory
soundness: deps ## SOUNDNESS=1000000 random launches against the bounds of reprise wcet
	@$(PARALLEL) $(BUILD)/soundness
	@$(BUILD)/soundness $(SOUNDNESS) $$(nproc)
wcet-tables: deps ## the tables of docs/validation.md about bounds
	@$(PARALLEL) all kernels $(BUILD)/record-cases $(BUILD)/opaque $(BUILD)/crowd
	@BUILD=$(BUILD) tests/soundness/tables.sh
validation-pastis: all ## the matrix multiplications of PasTiS on jetson-tx2, beside its figures
	@BUILD=$(BUILD) tests/validation/pastis.sh
validation-latencies: all ## dependent chains and pointer chases on the machines, beside published figures
	@$(WITH_MACHINES) python3 tests/validation/latencies.py
	@echo; $(WITH_MACHINES) BUILD=$(BUILD) python3 tests/validation/machine_code.py
validation-ablate: deps ## the ablation of ECRTS 2025, Table 2, on machine orin
	@$(PARALLEL) all $(BUILD)/record-cases
	@BUILD=$(BUILD) tests/validation/ablate.sh
validation-hardware: all ## writes docs/accuracy.md: what others measured on a GV100, H100, A100, replayed; some minutes
	@$(WITH_MACHINES) python3 tests/validation/hardware.py --write
validation-without: all ## writes into docs/accuracy.md what single values of gv100 do; some minutes
	@$(WITH_MACHINES) python3 tests/validation/without.py --write
validation-scaling: all ## what twice the SMs, clock of device memory, L1, L2 do to the programs of tests/golden/hardware; ARGS="nn hotspot": to these alone
	@$(WITH_MACHINES) python3 tests/validation/scaling.py $(ARGS)
validation-sampling: deps ## how often the true cycles lie in the intervals of replay --sample; a quarter of an hour
	@$(PARALLEL) all $(BUILD)/record-cases
	@$(WITH_MACHINES) BUILD=$(BUILD) python3 tests/validation/sampling.py $(ARGS)
validation-micro: all ## writes the tables of docs/micro.md: micro-benchmarks on the machines, beside published figures; some minutes
	@$(WITH_MACHINES) python3 tests/validation/micro.py --write
micro-kit: ## the micro-benchmarks as a program for an H100, and the script that runs it there, in BUILD/kit-micro; needs nvcc
	@tests/micro/kit $(BUILD)/kit-micro
validation-gemm: all ## the GEMM of the SAN paper on san-rtx2080 and san-quadro-rtx6000
	@BUILD=$(BUILD) python3 tests/validation/gemm.py
# tests/cli/trace_memory.sh at the full size.
memory: deps ## what reading large and hostile traces takes in memory, at the full size
	@$(PARALLEL) all $(BUILD)/programs/memory
	@$(CLI) MEMORY_FULL=1 bash tests/cli/trace_memory.sh

.PHONY: bench-guests random-guests
RANDOM_SEED ?= 1
random-guests: $(BUILD)/reprise ## 10,000 random programs of each instruction set of guests, in both engines and, where it is installed, under qemu
	@python3 tests/guests/random_rv32.py $(BUILD)/reprise --seed $(RANDOM_SEED) --count 10000 $$(command -v qemu-riscv32 | sed 's/^/--qemu /')
	@for isa in a32 t32; do python3 tests/guests/random_arm.py $(BUILD)/reprise --isa $$isa --seed $(RANDOM_SEED) --count 10000 $$(command -v qemu-arm | sed 's/^/--qemu /') || exit 1; done
	@python3 tests/guests/random_ia32.py $(BUILD)/reprise --seed $(RANDOM_SEED) --count 10000 $$(command -v qemu-i386 | sed 's/^/--qemu /')
bench-guests: $(BUILD)/reprise $(BUILD)/programs/guest_steps ## Figures 6 and 7 of the paper on simulating a thousand cores; WRITE=1 puts them into docs/guests.md
	@for isa in rv32 arm ia32; do python3 tests/bench/guests.py $(BUILD)/reprise --isa $$isa --steps $(BUILD)/programs/guest_steps $(if $(WRITE),--write docs/guests.md) || exit 1; echo; done
