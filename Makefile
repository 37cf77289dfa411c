# Reprise: record a GPU kernel once, replay its timing on any hardware.
#
#   make            build build/reprise and build/libreprise.a
#   make demo       install what is missing, build, record a kernel, replay it under three schedulers
#   make check      install what is missing, run every test; last line: N passed, N failed
#   make help       all targets

BUILD   ?= build
PREFIX  ?= /usr/local
CLANG   ?= clang
ifeq ($(origin CC),default)
CC      := gcc
endif
# WERROR=1: warnings are errors, as in CI.
WERROR  ?=
OPT     ?= -O2
SANITIZE ?=
VERSION := 0.1.0

CPPFLAGS += -I. -I$(BUILD)/gen -D_GNU_SOURCE -DREPRISE_VERSION='"$(VERSION)"' -DREPRISE_DATADIR='"$(PREFIX)/share/reprise"'
# No contraction: a multiply and an add of the kernel stay two roundings. No -ffast-math anywhere.
CFLAGS  += -std=c17 $(OPT) -g -pthread -ffp-contract=off -Wall -Wextra $(if $(WERROR),-Werror) $(SANITIZE)
LDFLAGS += -pthread $(SANITIZE)
LDLIBS  += -lprotobuf-c -lzstd -lconfig -ljansson -lelf -lm

STAGES := tracefmt frontend hw-models replay
# frontend/cuda has libraries of its own, below.
SOURCES = $(shell find $(1) -name '*.c' ! -name '*.simd.c' ! -path 'frontend/cuda/*' 2>/dev/null | sort)
SIMD_SOURCES = $(shell find $(1) -name '*.simd.c' 2>/dev/null | sort)
ARCH := $(shell $(CC) -dumpmachine 2>/dev/null | cut -d- -f1)

# A .simd.c file is compiled once per vector width. SIMD_NAME(x) in it names the width's own copy of x;
# the caller picks one at run time (frontend/core/lanes/simd.h). Nobody looks at floating-point exceptions or errno there, and
# only without them do compilers vectorise trunc and sqrt; results are the same.
ifeq ($(ARCH),x86_64)
SIMD_LEVELS := v2 v3 v4
else
SIMD_LEVELS := v2
endif
SIMD_FLAGS_v2 := $(if $(filter x86_64,$(ARCH)),-march=x86-64-v2)
SIMD_FLAGS_v3 := -march=x86-64-v3 -mprefer-vector-width=256
SIMD_FLAGS_v4 := -march=x86-64-v4 -mprefer-vector-width=512

object = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
simd_objects = $(foreach l,$(SIMD_LEVELS),$(patsubst %.simd.c,$(BUILD)/obj/%.simd.$(l).o,$(1)))
objects = $(call object,$(call SOURCES,$(1))) $(call simd_objects,$(call SIMD_SOURCES,$(1)))

PB      := $(BUILD)/gen/tracefmt/trace.pb-c
LIBS    := $(foreach s,replay hw-models frontend tracefmt,$(BUILD)/lib$(s).a)
MACHINES := $(wildcard hw-models/machines/*.cfg)

# What a failed command leaves behind is not newer than its sources.
.DELETE_ON_ERROR:

.PHONY: all
all: $(BUILD)/reprise $(BUILD)/libreprise.a

$(PB).c: tracefmt/trace.proto
	@mkdir -p $(@D)
	protoc-c --c_out=$(BUILD)/gen $<
$(PB).h: $(PB).c ;
$(BUILD)/obj/trace.pb-c.o: $(PB).c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# The messages of reprise wcet --phases.
WCET_PB := $(BUILD)/gen/tools/wcet/phases.pb-c
$(WCET_PB).c: tools/wcet/phases.proto
	@mkdir -p $(@D)
	protoc-c --c_out=$(BUILD)/gen $<
$(WCET_PB).h: $(WCET_PB).c ;
$(BUILD)/obj/phases.pb-c.o: $(WCET_PB).c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/obj/%.o: %.c | $(PB).h $(WCET_PB).h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@
define simd_rule
$(BUILD)/obj/%.simd.$(1).o: %.simd.c
	@mkdir -p $$(@D)
	$$(CC) $$(CPPFLAGS) $$(CFLAGS) -O3 -fno-math-errno -fno-trapping-math $$(SIMD_FLAGS_$(1)) -DSIMD_LEVEL=$(1) -MMD -MP -c $$< -o $$@
endef
$(foreach l,$(SIMD_LEVELS),$(eval $(call simd_rule,$(l))))

$(BUILD)/obj/frontend/check/race.o $(BUILD)/obj/frontend/check/check.o: CFLAGS += -O3 # vectorises
# Its speed must not depend on where its loops happen to lie: 8 % between two layouts of the same code.
$(BUILD)/obj/replay/engines/fast/sm.o: CFLAGS += -falign-loops=32 -falign-functions=64

define stage_rule
$(BUILD)/lib$(1).a: $$(call objects,$(1)) $(if $(filter tracefmt,$(1)),$(BUILD)/obj/trace.pb-c.o)
	@rm -f $$@
	$$(AR) rcs $$@ $$^
endef
$(foreach s,$(STAGES),$(eval $(call stage_rule,$(s))))

# The bounds of tools/wcet, so that tests can link them.
WCET := $(BUILD)/libwcet.a
$(WCET): $(call object,$(call SOURCES,tools/wcet)) $(BUILD)/obj/phases.pb-c.o
	@rm -f $@
	$(AR) rcs $@ $^

# The host API, above all stages, with what it needs of the rest of tools.
HOST := $(BUILD)/libhost.a
$(HOST): $(call object,$(call SOURCES,tools/host) tools/lib/output.c tools/lib/cleanup.c tools/ui/nearest.c)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/libreprise.a: $(HOST) $(LIBS)
	@rm -f $@
	@(for l in $^; do echo "addlib $$l"; done | sed '1i create $@'; echo save; echo end) | $(AR) -M

$(BUILD)/reprise: LDLIBS += -llzma
$(BUILD)/reprise: $(call object,$(call SOURCES,tools)) $(BUILD)/obj/phases.pb-c.o $(LIBS)
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -lstdc++ -o $@

# ---- libraries that CUDA programs load ------------------------------------------------------------------------------
# In build/lib, or PREFIX/lib/reprise: what takes the place of NVIDIA's. Their objects are position-independent, and show
# only the functions of CUDA's interface.

PIC_FLAGS := -fPIC -fvisibility=hidden
PIC_OBJECTS := $(patsubst $(BUILD)/obj/%,$(BUILD)/obj/pic/%,$(call objects,tracefmt) $(call objects,frontend)) $(BUILD)/obj/pic/trace.pb-c.o
$(BUILD)/obj/pic/%.o: %.c | $(PB).h
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(PIC_FLAGS) -MMD -MP -c $< -o $@
$(BUILD)/obj/pic/trace.pb-c.o: $(PB).c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(PIC_FLAGS) -MMD -MP -c $< -o $@
define pic_simd_rule
$(BUILD)/obj/pic/%.simd.$(1).o: %.simd.c
	@mkdir -p $$(@D)
	$$(CC) $$(CPPFLAGS) $$(CFLAGS) $(PIC_FLAGS) -O3 -fno-math-errno -fno-trapping-math $$(SIMD_FLAGS_$(1)) -DSIMD_LEVEL=$(1) -MMD -MP -c $$< -o $$@
endef
$(foreach l,$(SIMD_LEVELS),$(eval $(call pic_simd_rule,$(l))))
$(BUILD)/obj/pic/frontend/check/race.o $(BUILD)/obj/pic/frontend/check/check.o: CFLAGS += -O3

# The driver. libcuda.so beside it is for programs that are linked with -lcuda.
LIBCUDA := $(BUILD)/lib/libcuda.so.1
$(LIBCUDA): $(patsubst %.c,$(BUILD)/obj/pic/%.o,$(wildcard frontend/cuda/driver/*.c)) $(PIC_OBJECTS)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -shared $^ -Wl,-soname,$(@F) $(if $(SANITIZE),,-Wl,-z,defs) -lprotobuf-c -lzstd -lelf -lm -o $@
	@ln -sf $(@F) $(@D)/libcuda.so

# The runtime, once per major version: its version, what stands behind libcudart.so.
CUDART_VERSIONS := 11.0 12 13
CUDART := $(CUDART_VERSIONS:%=$(BUILD)/lib/libcudart.so.%)
# Its kernels want clang.
CUBLAS := $(if $(shell command -v $(CLANG)),$(BUILD)/lib/libcublas.so.12 $(BUILD)/lib/libcublas.so.13)
CUBLASLT := $(BUILD)/lib/libcublasLt.so.12 $(BUILD)/lib/libcublasLt.so.13
CUDA_LIBRARIES := $(LIBCUDA) $(CUDART) $(CUBLAS) $(CUBLASLT) $(BUILD)/lib/libreprise-redirect.so $(BUILD)/lib/libnvJitLink.so.13 \
  $(BUILD)/lib/reprise-ptxas
ifeq ($(ARCH),x86_64)
all: $(CUDA_LIBRARIES)
endif
define cudart_rule
$(BUILD)/obj/cudart-$(1)/%.o: frontend/cuda/runtime/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(CPPFLAGS) $$(CFLAGS) -fPIC -DCUDART_MAJOR=$(basename $(1)) -MMD -MP -c $$< -o $$@
$(BUILD)/obj/cudart-$(1)/exports: frontend/cuda/runtime/exports.map frontend/cuda/runtime/functions.def
	@mkdir -p $$(@D)
	$$(CC) -E -P -I. -DCUDART_MAJOR=$(basename $(1)) -x c $$< -o $$@
$(BUILD)/lib/libcudart.so.$(1): $(patsubst frontend/cuda/runtime/%.c,$(BUILD)/obj/cudart-$(1)/%.o,$(wildcard frontend/cuda/runtime/*.c)) \
  $(BUILD)/obj/cudart-$(1)/exports $(LIBCUDA)
	@mkdir -p $$(@D)
	$$(CC) $$(LDFLAGS) -shared $$(filter %.o,$$^) -Wl,-soname,$$(@F) -Wl,--version-script=$(BUILD)/obj/cudart-$(1)/exports \
	  $$(if $$(SANITIZE),,-Wl,-z,defs) -Wl,-rpath,'$$$$ORIGIN' -L$(BUILD)/lib -l:libcuda.so.1 -o $$@
endef
$(foreach v,$(CUDART_VERSIONS),$(eval $(call cudart_rule,$(v))))
# cuBLAS with kernels of ours, once per major version.
$(BUILD)/gen/blas_kernels.ptx: frontend/cuda/blas/kernels.cu frontend/cuda/blas/arguments.h tools/cuda/reprise/cuda.h
	@mkdir -p $(@D)
	$(CLANG) -x cuda --cuda-device-only --cuda-gpu-arch=sm_50 -nocudainc -nocudalib --cuda-path=/nonexistent -Wno-unknown-cuda-version \
	  -I. -include tools/cuda/reprise/cuda.h -std=c++17 -O2 -ffp-contract=off -Wall -Wextra -S -o $@ $<
$(BUILD)/obj/blas_kernels.o: frontend/cuda/blas/kernels.S $(BUILD)/gen/blas_kernels.ptx
	@mkdir -p $(@D)
	$(CC) -DBLAS_KERNELS='"$(BUILD)/gen/blas_kernels.ptx"' -c $< -o $@
define cublas_rule
$(BUILD)/obj/cublas-$(1)/%.o: frontend/cuda/blas/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(CPPFLAGS) $$(CFLAGS) -fPIC -fvisibility=hidden -DCUBLAS_MAJOR=$(1) -MMD -MP -c $$< -o $$@
$(BUILD)/lib/libcublas.so.$(1): $(patsubst frontend/cuda/blas/%.c,$(BUILD)/obj/cublas-$(1)/%.o,$(wildcard frontend/cuda/blas/*.c)) \
  $(BUILD)/obj/blas_kernels.o $(LIBCUDA)
	@mkdir -p $$(@D)
	@echo 'libcublas.so.$(1) { global: cublas*; local: *; };' > $(BUILD)/obj/cublas-$(1)/exports
	$$(CC) $$(LDFLAGS) -shared $$(filter %.o,$$^) -Wl,-soname,$$(@F) -Wl,--version-script=$(BUILD)/obj/cublas-$(1)/exports \
	  $$(if $$(SANITIZE),,-Wl,-z,defs) -Wl,-rpath,'$$$$ORIGIN' -L$(BUILD)/lib -l:libcuda.so.1 -o $$@
endef
$(foreach v,12 13,$(eval $(call cublas_rule,$(v))))
$(CUBLASLT): $(BUILD)/lib/libcublasLt.so.%: frontend/cuda/blas_lt/blas_lt.c frontend/cuda/blas_lt/refused.def
	@mkdir -p $(@D)
	@echo 'libcublasLt.so.$* { global: cublasLt*; local: *; };' > $(BUILD)/obj/cublasLt-$*.exports
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -fPIC -shared -DCUBLAS_MAJOR=$* $< -Wl,-soname,$(@F) \
	  -Wl,--version-script=$(BUILD)/obj/cublasLt-$*.exports -o $@
$(BUILD)/lib/libreprise-redirect.so: frontend/cuda/redirect/redirect.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -shared $< -o $@
$(BUILD)/lib/libnvJitLink.so.13: frontend/cuda/compilers/jitlink.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -shared $< -Wl,-soname,$(@F) -ldl -o $@
$(BUILD)/lib/reprise-ptxas: frontend/cuda/compilers/reprise-ptxas
	@mkdir -p $(@D)
	install -m 755 $< $@

# ---- tests ----------------------------------------------------------------------------------------------------------
# tests/unit/<suite>/*.c make one Criterion program each: make unit-<suite> builds and runs it. TSAN=1: a program without
# Criterion, which does not run under ThreadSanitizer.
ifdef TSAN
CPPFLAGS := -Itests/tsan $(CPPFLAGS)
RUNNER := $(BUILD)/obj/tests/tsan/main.o
else
RUNNER := -lcriterion
endif

SUITES := $(notdir $(patsubst %/,%,$(sort $(dir $(wildcard tests/unit/*/*.c)))))
# What tests share, the cases of tests/kernels, tools/ui and the printing of machine files: an archive, so that a suite
# links only what it uses.
SUPPORT := $(BUILD)/libsupport.a
$(SUPPORT): $(call object,$(wildcard tests/support/*.c tests/kernels/*.c tools/ui/*.c) tools/machine/machine_file.c)
	@rm -f $@
	$(AR) rcs $@ $^
define suite_rule
$(BUILD)/tests/$(1): $$(call object,$$(wildcard tests/unit/$(1)/*.c)) $(SUPPORT) $(WCET) $(HOST) $(LIBS) $(filter %.o,$(RUNNER))
	@mkdir -p $$(@D)
	$$(CC) $$(LDFLAGS) $$^ $$(LDLIBS) $(filter-out %.o,$(RUNNER)) -o $$@
.PHONY: unit-$(1)
unit-$(1): $(BUILD)/tests/$(1)
	$(BUILD)/tests/$(1)
endef
$(foreach s,$(SUITES),$(eval $(call suite_rule,$(s))))
$(BUILD)/tests/cuda: LDLIBS += -Wl,-rpath,$(abspath $(BUILD))/lib
$(BUILD)/tests/cuda: $(LIBCUDA)
# Random programs: N of them from number FIRST on, of the sequence that SEED begins, on the host, as PTX and, where
# make toolchain has been, as machine code. UNDEFINED=1 looks for what C leaves undefined.
N     ?= 10000
SEED  ?= 1
FIRST ?= 0
RANDOM_COMPARE := $(BUILD)/random-compare
$(RANDOM_COMPARE): $(BUILD)/obj/tests/random/compare.o $(LIBS)
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -ldl -o $@
.PHONY: random-programs
random-programs: deps
	@$(MAKE) --no-print-directory -s -j$$(nproc) $(RANDOM_COMPARE)
	@BUILD=$(BUILD) CLANG=$(CLANG) python3 tests/random/run.py --seed $(SEED) --first $(FIRST) --count $(N) $(if $(UNDEFINED),--undefined)
# Random PTX: N programs as PTX and as the machine code that ptxas makes of them (make toolchain).
RANDOM_PTX_COMPARE := $(BUILD)/random-ptx-compare
$(RANDOM_PTX_COMPARE): $(BUILD)/obj/tests/random/ptx_compare.o $(LIBS)
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@
.PHONY: random-ptx
random-ptx: deps
	@$(MAKE) --no-print-directory -s -j$$(nproc) $(RANDOM_PTX_COMPARE)
	@BUILD=$(BUILD) python3 tests/random/ptx_run.py --seed $(SEED) --first $(FIRST) --count $(N)
# Random PTX of sm_70 to sm_90 against an interpreter; where make toolchain has been, ptxas must take it, too.
RANDOM_TREE := $(BUILD)/random-tree
$(RANDOM_TREE): $(call object,$(wildcard tests/random/tree/*.c tests/unit/ptx_forms/reference*.c) \
  tests/support/form_walk.c tests/support/model_float.c) $(LIBS)
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@
RANDOM_TREE_PTXAS := $(if $(wildcard $(BUILD)/toolchain/complete),--ptxas $(BUILD)/toolchain/12.9/ptxas)
.PHONY: random-tree
random-tree: deps
	@$(MAKE) --no-print-directory -s -j$$(nproc) $(RANDOM_TREE)
	@$(if $(RANDOM_TREE_PTXAS),,echo "# SKIP ptxas does not see the programs: make toolchain fetches it")
	@$(RANDOM_TREE) --seed $(SEED) --first $(FIRST) --count $(N) $(RANDOM_TREE_PTXAS)
# Programs that tests of the command line use.
PROGRAMS := $(patsubst tests/programs/%.c,$(BUILD)/programs/%,$(wildcard tests/programs/*.c))
$(PROGRAMS): $(BUILD)/programs/%: $(BUILD)/obj/tests/programs/%.o $(SUPPORT) $(LIBS)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@
# The examples of the host API, built as a user's program: with what make install installs.
EXAMPLES := $(patsubst docs/examples/%.c,$(BUILD)/examples/%,$(wildcard docs/examples/*.c))
$(EXAMPLES): $(BUILD)/examples/%: docs/examples/%.c $(BUILD)/libreprise.a tools/host/reprise.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -I. -Itools/host $(LDFLAGS) $< $(BUILD)/libreprise.a $(LDLIBS) -o $@
# Libraries that tests load before a program.
PRELOADS := $(patsubst tests/preload/%.c,$(BUILD)/preload/%.so,$(wildcard tests/preload/*.c))
$(PRELOADS): $(BUILD)/preload/%.so: tests/preload/%.c
	@mkdir -p $(@D)
	$(CC) -O2 -Wall -Wextra -fPIC -fno-builtin -shared $< -o $@
.PHONY: units
units: $(PRELOADS) $(foreach s,$(SUITES),$(BUILD)/tests/$(s)) $(PROGRAMS) $(RANDOM_COMPARE) $(RANDOM_PTX_COMPARE) $(RANDOM_TREE) $(EXAMPLES)

# The kernels of tests/kernels, compiled to PTX with no toolkit: with -O2, and with -O0 under kernels/O0.
PTX_FLAGS := -x cuda --cuda-device-only --cuda-gpu-arch=sm_62 -nocudainc -nocudalib --cuda-path=/nonexistent \
  -Wno-unknown-cuda-version -Xclang -target-feature -Xclang +ptx60 -ffp-contract=off -Wall -Wextra
KERNELS := $(foreach d,kernels kernels/O0,$(patsubst tests/kernels/%.cu,$(BUILD)/$(d)/%.ptx,$(wildcard tests/kernels/*.cu)))
KERNEL_HEADERS := $(wildcard tests/kernels/*.cuh tests/kernels/*.h) tools/cuda/reprise/cuda.h
$(BUILD)/kernels/O0/%.ptx: tests/kernels/%.cu $(KERNEL_HEADERS)
	@mkdir -p $(@D)
	$(CLANG) $(PTX_FLAGS) -O0 -S -o $@ $<
$(BUILD)/kernels/%.ptx: tests/kernels/%.cu $(KERNEL_HEADERS)
	@mkdir -p $(@D)
	$(CLANG) $(PTX_FLAGS) -O2 -S -o $@ $<

# The same kernels as machine code, where make toolchain has fetched ptxas: cubin/NAME.sm_62.O3.cubin and so on, and
# under cubin/O0 some of what clang -O0 makes. dp4a, in ptx.cu, is only from sm_61 on.
SASS_VARIANTS := $(foreach a,50 52 60 61 62,$(foreach o,0 1 2 3,sm_$(a).O$(o)))
SASS_VARIANTS_O0 := sm_50.O0 sm_52.O1 sm_60.O2 sm_61.O3
CUBINS := $(if $(wildcard $(BUILD)/toolchain/complete),$(filter-out $(foreach a,50 52 60,%/ptx.sm_$(a).O0.cubin \
  %/ptx.sm_$(a).O1.cubin %/ptx.sm_$(a).O2.cubin %/ptx.sm_$(a).O3.cubin),$(foreach k,$(notdir $(KERNELS:.ptx=)), \
  $(SASS_VARIANTS:%=$(BUILD)/cubin/$(k).%.cubin) $(SASS_VARIANTS_O0:%=$(BUILD)/cubin/O0/$(k).%.cubin))))
define cubin_rule
$(BUILD)/cubin/%.$(1).cubin: $(BUILD)/kernels/%.ptx
	@mkdir -p $$(@D)
	@sed 's/^\.target .*/.target $(basename $(1))/' $$< > $$@.ptx
	@$(BUILD)/toolchain/12.3/ptxas -w -$(subst .,,$(suffix $(1))) -arch=$(basename $(1)) -o $$@ $$@.ptx
	@rm $$@.ptx
endef
$(foreach v,$(SASS_VARIANTS),$(eval $(call cubin_rule,$(v))))

.PHONY: kernels
kernels: $(KERNELS) $(CUBINS)
unit-kernels unit-wcet unit-host: $(KERNELS)
unit-sass_run: $(KERNELS) $(CUBINS)

# NVIDIA's ptxas and disassemblers, which tests compare with; tests that want them are skipped without.
.PHONY: toolchain
toolchain:
	@tools/toolchain $(BUILD)/toolchain

# Disassembly against NVIDIA's: every kernel and libdevice, by both versions of ptxas, for sm_50 to sm_62, at -O0 to -O3.
.PHONY: disassembly
disassembly: deps toolchain
	@$(MAKE) --no-print-directory -s -j$$(nproc) all kernels
	@BUILD=$(BUILD) REPRISE=$(abspath $(BUILD))/reprise SASS_FULL=1 bash tests/cli/sass.sh

# The Python package and Triton: NumPy and Triton, fetched once, in a virtual environment.
.PHONY: python-environment clients-environment check-python check-clients
python-environment: deps
	@tests/python/environment $(BUILD)/python
# Numba and CuPy with CUDA 12 and with CUDA 13: 450 MB each are fetched.
clients-environment: deps
	@tests/python/environment $(BUILD)/clients tests/python/clients/requirements.txt
	@tests/python/environment $(BUILD)/clients13 tests/python/clients/requirements13.txt
check-python: python-environment
	@$(MAKE) --no-print-directory -s -j$$(nproc) all $(filter %/vector_add.sm_62.O3.cubin,$(CUBINS))
	@BUILD=$(BUILD) REPRISE=$(abspath $(BUILD))/reprise REPRISE_MACHINES=$(abspath hw-models/machines) bash tests/cli/python.sh
	@$(MAKE) --no-print-directory -s check-clients
check-clients: python-environment clients-environment
	@$(MAKE) --no-print-directory -s -j$$(nproc) all
	@WHOLE_SUITE="12 13" BUILD=$(BUILD) REPRISE=$(abspath $(BUILD))/reprise REPRISE_MACHINES=$(abspath hw-models/machines) bash tests/cli/clients.sh
# The programs of tests/cuda that are kept built, by NVIDIA's compiler.
.PHONY: cuda-programs
cuda-programs:
	@tests/cuda/build tests/cuda/prebuilt
# Which functions there are, from the tables in the code.
CUDA_FUNCTIONS ?= docs/cuda-functions.md
.PHONY: cuda-docs
cuda-docs:
	@tools/cuda/function_tables frontend/cuda > $(CUDA_FUNCTIONS)

.PHONY: deps check demo
deps:
	@tools/setup
check: deps dataset optional
	@echo building
	@$(MAKE) --no-print-directory -s -j$$(nproc) all units kernels network-programs
	@BUILD=$(BUILD) tests/run
demo: deps
	@$(MAKE) --no-print-directory -s -j$$(nproc) all kernels
	@BUILD=$(BUILD) tools/demo

# PasTiS's network: trained on Debian's dataset-fashion-mnist, recognised by kernels, compared with the CPU.
NETWORK := $(BUILD)/network/network
$(NETWORK): LDLIBS += -lz
$(BUILD)/obj/tests/network/train.o: CFLAGS += -O3 # vectorises; no rounding changes
$(NETWORK): $(call object,$(wildcard tests/network/*.c)) $(SUPPORT) $(BUILD)/libreprise.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@
$(BUILD)/network/network.ptx: tests/network/network.cu tests/kernels/double_math.h $(KERNEL_HEADERS)
	@mkdir -p $(@D)
	$(CLANG) $(PTX_FLAGS) -I. -O2 -S -o $@ $<
$(BUILD)/network/network.sm_62.cubin: $(BUILD)/network/network.ptx
	$(BUILD)/toolchain/12.3/ptxas -O3 -arch=sm_62 -o $@ $<
NETWORK_MODULES := $(BUILD)/network/network.ptx \
  $(if $(wildcard $(BUILD)/toolchain/complete),$(BUILD)/network/network.sm_62.cubin)
# What the tests of docs/pandas.md, of completion and of man pages want; without, they are skipped.
.PHONY: optional
optional: deps
	@tools/setup --optional python3-pandas zsh fish groff-base
.PHONY: network network-programs dataset
network-programs: $(NETWORK) $(NETWORK_MODULES)
dataset: deps
	@tools/setup --optional dataset-fashion-mnist
network: dataset
	@$(MAKE) --no-print-directory -s -j$$(nproc) all network-programs
	@REPRISE_MACHINES=hw-models/machines $(NETWORK) --traces $(BUILD)/network $(NETWORK_MODULES)

# ---- speed ----------------------------------------------------------------------------------------------------------
# Programs of tests/bench; bench-docs writes docs/performance.md from what it measures.

BENCHES := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(wildcard tests/bench/*.c))
FIGURES := $(BUILD)/libfigures.a
$(FIGURES): $(call object,$(wildcard tests/bench/figures/*.c))
	@rm -f $@
	$(AR) rcs $@ $^
$(BENCHES): $(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(FIGURES) $(SUPPORT) $(WCET) $(LIBS)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@
.PHONY: bench bench-docs bench-programs bench-parity bench-where bench-approximations
bench-programs: $(BENCHES) $(KERNELS) $(filter $(BUILD)/cubin/sgemm.sm_62.O3.cubin,$(CUBINS))
bench: deps
	@$(MAKE) --no-print-directory -s -j$$(nproc) bench-programs
	@for b in $(filter-out %/approximations,$(BENCHES)); do BUILD=$(BUILD) $$b || exit; done
	@BUILD=$(BUILD) tests/bench/cuda
bench-parity: all
	@REPRISE=$(BUILD)/reprise REPRISE_MACHINES=hw-models/machines python3 tests/bench/parity.py
	@REPRISE=$(BUILD)/reprise REPRISE_MACHINES=hw-models/machines python3 tests/bench/parity.py --speed
bench-where: all
	@BUILD=$(BUILD) python3 tests/bench/where.py
# FUNCTION=sin: one function; PART=1/8: every eighth group of 32 arguments.
bench-approximations: deps
	@$(MAKE) --no-print-directory -s -j$$(nproc) $(BUILD)/bench/approximations
	@$(BUILD)/bench/approximations $(FUNCTION) $(PART)
bench-docs: deps
	@$(MAKE) --no-print-directory -s -j$$(nproc) bench-programs
	@BUILD=$(BUILD) $(BUILD)/bench/bench --markdown > $(BUILD)/bench/performance.md
	@BUILD=$(BUILD) python3 tests/bench/where.py --markdown >> $(BUILD)/bench/performance.md
	@cp $(BUILD)/bench/performance.md docs/performance.md

# Random blocks against the bounds of reprise wcet: SOUNDNESS launches, six policies each.
SOUNDNESS ?= 1000000
.PHONY: soundness
soundness: deps
	@$(MAKE) --no-print-directory -s -j$$(nproc) $(BUILD)/soundness
	@$(BUILD)/soundness $(SOUNDNESS) $$(nproc)
# The tables of docs/validation.md about bounds.
.PHONY: wcet-tables
wcet-tables: deps
	@$(MAKE) --no-print-directory -s -j$$(nproc) all kernels $(BUILD)/record-cases $(BUILD)/opaque $(BUILD)/crowd
	@BUILD=$(BUILD) tests/soundness/tables.sh
# The table of docs/validation.md about jetson-tx2.
.PHONY: validation-pastis
validation-pastis: all
	@BUILD=$(BUILD) tests/validation/pastis.sh
# The tables there about latencies.
.PHONY: validation-latencies
validation-latencies: all
	@REPRISE=$(BUILD)/reprise REPRISE_MACHINES=hw-models/machines python3 tests/validation/latencies.py
# The table there about ablation.
.PHONY: validation-ablate
validation-ablate: deps
	@$(MAKE) --no-print-directory -s -j$$(nproc) all $(BUILD)/record-cases
	@BUILD=$(BUILD) tests/validation/ablate.sh
# Its tables about the GEMM of the SAN paper.
.PHONY: validation-gemm
validation-gemm: all
	@BUILD=$(BUILD) python3 tests/validation/gemm.py
$(BUILD)/record-cases: $(BUILD)/obj/tests/soundness/record.o $(SUPPORT) $(LIBS)
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@
$(BUILD)/opaque: $(BUILD)/obj/tests/soundness/opaque.o $(SUPPORT) $(LIBS)
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@
$(BUILD)/crowd: $(BUILD)/obj/tests/soundness/crowd.o $(SUPPORT) $(WCET) $(LIBS)
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@
$(BUILD)/soundness: $(BUILD)/obj/tests/soundness/soundness.o $(SUPPORT) $(WCET) $(LIBS)
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

# What reading takes in memory, at the full size: tests/cli/trace_memory.sh.
.PHONY: memory
memory: deps
	@$(MAKE) --no-print-directory -s -j$$(nproc) all $(BUILD)/programs/memory
	@MEMORY_FULL=1 BUILD=$(BUILD) REPRISE=$(abspath $(BUILD))/reprise REPRISE_MACHINES=$(abspath hw-models/machines) bash tests/cli/trace_memory.sh

# ---- quality --------------------------------------------------------------------------------------------------------

OWN := tracefmt frontend replay hw-models tools tests
C_FILES = $(shell find $(OWN) -name '*.[ch]' | sort)

# Formatting and static analysis. make format mends the first. What cppcheck is told to pass: arithmetic right shifts
# (gcc and clang define them), checks that end in a function that does not return, and addresses and pointers that it
# follows no further than the assignment.
CPPCHECK_PASSES := $(foreach s,missingIncludeSystem normalCheckLevelMaxBranches shiftTooManyBitsSigned \
  arrayIndexOutOfBoundsCond duplicateAssignExpression uninitvar:tools/record/launch_file.c autoVariables:replay/session/replay.c \
  memleak:tracefmt/index.c memleak:tracefmt/tables_unpack.c \
  memleak:frontend/cuda/driver/context.c uninitvar:frontend/core/wgmma.c,--suppress=$(s))
.PHONY: lint format
lint: $(PB).h $(WCET_PB).h
	clang-format --dry-run --Werror $(C_FILES)
	cppcheck --quiet --std=c11 --enable=warning,portability --error-exitcode=1 -j $$(nproc) $(CPPCHECK_PASSES) \
	  -I. -D__x86_64__ -DSIMD_LEVEL=v2 $(filter-out tests,$(OWN))
format:
	clang-format -i $(C_FILES)

# Everything again under AddressSanitizer and UndefinedBehaviorSanitizer.
.PHONY: asan
asan: deps dataset
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=$(BUILD)/asan OPT=-O1 \
	  SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer' all units kernels network-programs
	@BUILD=$(BUILD)/asan tests/run

# The suites that run threads, under ThreadSanitizer.
TSAN_SUITES ?= cuda device engine host memory replay
# The libraries that CUDA programs load, under valgrind.
.PHONY: valgrind-cuda
valgrind-cuda: all
	@BUILD=$(BUILD) tests/cuda/valgrind

.PHONY: tsan
tsan: deps
	@$(MAKE) --no-print-directory -s -j$$(nproc) BUILD=$(BUILD)/tsan OPT=-O1 TSAN=1 \
	  SANITIZE='-fsanitize=thread -fno-omit-frame-pointer' kernels $(foreach s,$(TSAN_SUITES),$(BUILD)/tsan/tests/$(s))
	@for s in $(TSAN_SUITES); do echo "# $$s"; BUILD=$(BUILD)/tsan REPRISE_MACHINES=$(abspath hw-models/machines) \
	  TSAN_OPTIONS=suppressions=$(abspath tests/tsan/races-of-kernels) $(BUILD)/tsan/tests/$$s || failed=1; done; [ -z "$$failed" ]

# libFuzzer targets: tests/fuzz/fuzz_NAME.c, each for FUZZ_SECONDS, from tests/fuzz/seeds/NAME and what seeds_NAME.c writes.
# A crash leaves its input under $(BUILD)/fuzz.
FUZZ_SECONDS ?= 60
FUZZERS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_BUILD = $(BUILD)/fuzz
.PHONY: fuzz fuzz-build
fuzz-build: deps
	@$(MAKE) --no-print-directory -j$$(nproc) BUILD=$(FUZZ_BUILD) CC=$(CLANG) OPT=-O1 \
	  SANITIZE='-fsanitize=address,undefined,fuzzer-no-link' fuzz-programs
.PHONY: fuzz-programs
FUZZ_SEEDS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/seeds_*.c))
fuzz-programs: $(foreach f,$(FUZZERS),$(BUILD)/fuzz_$(f)) $(foreach s,$(FUZZ_SEEDS),$(BUILD)/$(s))
$(BUILD)/seeds_%: $(BUILD)/obj/tests/fuzz/seeds_%.o $(SUPPORT) $(LIBS)
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@
$(BUILD)/fuzz_accelsim: LDLIBS += -llzma
$(BUILD)/fuzz_accelsim: $(call object,$(call SOURCES,tools/accelsim) tools/lib/cleanup.c tools/lib/output.c)
$(BUILD)/fuzz_gpgpusim: $(call object,$(call SOURCES,tools/gpgpusim) tools/lib/file.c)
$(BUILD)/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(SUPPORT) $(LIBS)
	$(CC) $(LDFLAGS) -fsanitize=fuzzer $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) -o $@
fuzz: fuzz-build
	@tests/fuzz/run $(FUZZ_BUILD) $(FUZZ_SECONDS) $(FUZZERS)

# ---- installing -----------------------------------------------------------------------------------------------------

DESTDIR ?=
ROOT = $(DESTDIR)$(PREFIX)
# reprise.h and what it includes; the stages' own headers stay here.
PUBLIC_HEADERS := tracefmt/error.h
COMMANDS := $(shell sed -n 's/^COMMAND(\(.*\))$$/\1/p' tools/commands/commands.def)
SHELLS := bash zsh fish
COMPLETION_bash := share/bash-completion/completions/reprise
COMPLETION_zsh := share/zsh/site-functions/_reprise
COMPLETION_fish := share/fish/vendor_completions.d/reprise.fish
.PHONY: install uninstall
install: all
	install -d $(ROOT)/bin $(ROOT)/lib/pkgconfig $(ROOT)/share/reprise/machines $(ROOT)/share/man/man1 $(ROOT)/include/reprise \
	  $(ROOT)/share/doc/reprise $(foreach s,$(SHELLS),$(ROOT)/$(dir $(COMPLETION_$(s))))
	install -m 755 $(BUILD)/reprise $(ROOT)/bin/reprise
	install -m 644 $(BUILD)/libreprise.a $(ROOT)/lib/libreprise.a
	$(if $(filter x86_64,$(ARCH)),install -d $(ROOT)/lib/reprise && install -m 755 $(CUDA_LIBRARIES) $(ROOT)/lib/reprise && \
	  ln -sf libcuda.so.1 $(ROOT)/lib/reprise/libcuda.so)
	mkdir $(ROOT)/lib/reprise.tmp && $(CC) $(CPPFLAGS) $(CFLAGS) -c replay/base/data_folder.c -o $(ROOT)/lib/reprise.tmp/data_folder.o
	$(AR) r $(ROOT)/lib/libreprise.a $(ROOT)/lib/reprise.tmp/data_folder.o && rm -r $(ROOT)/lib/reprise.tmp
	install -m 644 $(MACHINES) $(ROOT)/share/reprise/machines
	install -D -m 755 $(LIBCUDA) $(ROOT)/lib/reprise/libcuda.so.1
	ln -sf libcuda.so.1 $(ROOT)/lib/reprise/libcuda.so
	install -m 644 tracefmt/trace.proto tools/wcet/phases.proto $(ROOT)/share/reprise
	cp -R README.md LICENSE docs/*.md docs/*.py docs/examples $(ROOT)/share/doc/reprise
	$(BUILD)/reprise help --man | sed 's,@PREFIX@,$(PREFIX),g' > $(ROOT)/share/man/man1/reprise.1
	for c in $(COMMANDS); do \
	  $(BUILD)/reprise help --man $$c | sed 's,@PREFIX@,$(PREFIX),g' > $(ROOT)/share/man/man1/reprise-$$c.1 || exit; done
	$(foreach s,$(SHELLS),$(BUILD)/reprise help --completion $(s) > $(ROOT)/$(COMPLETION_$(s)) &&) true
	install -m 644 tools/host/reprise.h tools/cuda/reprise/cuda.h $(ROOT)/include/reprise
	install -D -m 644 -t $(ROOT)/share/reprise/cuda/reprise tools/cuda/reprise/cuda.h
	install -m 644 tools/cuda/cuda_runtime.h $(ROOT)/share/reprise/cuda
	for h in $(PUBLIC_HEADERS); do install -D -m 644 $$h $(ROOT)/include/reprise/$$h; done
	sed -e 's,@PREFIX@,$(PREFIX),; s,@VERSION@,$(VERSION),' docs/reprise.pc.in > $(ROOT)/lib/pkgconfig/reprise.pc
uninstall:
	rm -rf $(ROOT)/lib/reprise $(ROOT)/share/reprise $(ROOT)/share/doc/reprise $(ROOT)/include/reprise
	rm -f $(ROOT)/bin/reprise $(ROOT)/lib/libreprise.a $(ROOT)/lib/pkgconfig/reprise.pc $(ROOT)/share/man/man1/reprise.1 \
	  $(COMMANDS:%=$(ROOT)/share/man/man1/reprise-%.1) $(foreach s,$(SHELLS),$(ROOT)/$(COMPLETION_$(s)))

.PHONY: clean help
clean:
	rm -rf $(BUILD)
help:
	@echo 'all        build/reprise and build/libreprise.a (default)'
	@echo 'demo       install what is missing, build, record a kernel, replay it under three schedulers'
	@echo 'check      install what is missing, run every test'
	@echo 'unit-NAME  one suite of tests/unit: $(SUITES)'
	@echo 'toolchain  fetch NVIDIA'"'"'s ptxas and disassemblers (200 MB) for the tests that compare with them'
	@echo 'check-python  fetch NumPy, Triton, Numba and CuPy (1.1 GB), test the Python package, kernels of Triton and unmodified programs'
	@echo 'random-ptx  N=10000 kernels of random PTX from SEED=1 on: PTX and machine code leave the same bits'
	@echo 'random-tree  N=10000 programs of random PTX for sm_70 to sm_90 from SEED=1 on: the frontend and an interpreter leave the same bits'
	@echo 'random-programs  N=10000 random programs from SEED=1 on: host, PTX and machine code leave the same bits'
	@echo 'network    train a dense network, record its kernels, compare 1,000 images with the CPU'
	@echo 'disassembly  every kernel and libdevice in every variant: our text of it against NVIDIA'"'"'s'
	@echo 'memory     what reading large and hostile traces takes in memory, at the full size'
	@echo 'bench      measure the speeds that docs/performance.md states'
	@echo 'bench-where  where replays spend their time, as perf sees it (after bench)'
	@echo 'bench-parity  cycles of rtx2060-accelsim beside those of Accel-Sim'
	@echo 'bench-approximations  rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh .approx.f32 over all 2^32 arguments'
	@echo 'soundness  SOUNDNESS=1000000 random launches against the bounds of reprise wcet'
	@echo 'wcet-tables  the tables of docs/validation.md about bounds'
	@echo 'validation-pastis  the matrix multiplications of PasTiS on jetson-tx2, beside its figures'
	@echo 'validation-latencies  dependent chains and pointer chases on the machines, beside published figures'
	@echo 'validation-ablate  the ablation of ECRTS 2025, Table 2, on machine orin'
	@echo 'validation-gemm  the GEMM of the SAN paper on san-rtx2080 and san-quadro-rtx6000'
	@echo 'asan       the tests again under AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'tsan       the suites that run threads under ThreadSanitizer (TSAN_SUITES=...)'
	@echo 'valgrind-cuda  programs of tests/cuda under memcheck, one with threads under helgrind'
	@echo 'fuzz       each libFuzzer target for FUZZ_SECONDS=60'
	@echo 'lint       clang-format and cppcheck; format mends the formatting'
	@echo 'install    to PREFIX=/usr/local (DESTDIR is honoured); uninstall takes it away'
	@echo 'clean      remove build/'
	@echo
	@echo 'Variables: CC, CLANG, OPT=-O2, WERROR=1 (warnings are errors), BUILD=build, PREFIX.'

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
