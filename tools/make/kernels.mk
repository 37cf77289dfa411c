# ---- kernels --------------------------------------------------------------------------------------------------------
# The kernels of tests/kernels, compiled to PTX with no toolkit: with -O2, and with -O0 under kernels/O0.
PTX_FLAGS := -x cuda --cuda-device-only --cuda-gpu-arch=sm_62 -nocudainc -nocudalib --cuda-path=/nonexistent \
  -Wno-unknown-cuda-version -Xclang -target-feature -Xclang +ptx60 -ffp-contract=off -Wall -Wextra
CUDA_HEADERS = $(wildcard tools/cuda/reprise/cuda.h tools/cuda/reprise/cuda/*.h tools/cuda/reprise/cuda/rows/*.def)
KERNEL_SOURCES := $(wildcard tests/kernels/*.cu)
KERNELS := $(foreach d,kernels kernels/O0,$(patsubst tests/kernels/%.cu,$(BUILD)/$d/%.ptx,$(KERNEL_SOURCES)))
KERNEL_HEADERS := $(wildcard tests/kernels/*.cuh tests/kernels/*.h) $(CUDA_HEADERS)
$(BUILD)/kernels/O0/%.ptx: tests/kernels/%.cu $(KERNEL_HEADERS) $(PTX_FLAGS_FILE)
	@mkdir -p $(@D)
	$(CLANG) $(PTX_FLAGS) -O0 -S -o $@ $<
$(BUILD)/kernels/%.ptx: tests/kernels/%.cu $(KERNEL_HEADERS) $(PTX_FLAGS_FILE)
	@mkdir -p $(@D)
	$(CLANG) $(PTX_FLAGS) -O2 -S -o $@ $<

# The same kernels as machine code, where make toolchain has fetched ptxas: cubin/NAME.sm_62.O3.cubin and so on, and
# under cubin/O0 some of what clang -O0 makes. dp4a, in ptx.cu, is only from sm_61 on; exchange between lanes without
# .sync, in scan.cu and votes.cu, is not for sm_75 and later.
TOOLCHAIN := $(wildcard $(BUILD)/toolchain/complete)
SASS_VARIANTS := $(foreach a,50 52 60 61 62,$(foreach o,0 1 2 3,sm_$a.O$o))
SASS_VARIANTS_O0 := sm_50.O0 sm_52.O1 sm_60.O2 sm_61.O3
LATE_VARIANTS := $(if $(FULL),$(foreach a,70 75 80 86 89 90,$(foreach o,0 1 2 3,sm_$a.O$o)),\
  sm_70.O3 sm_75.O3 sm_80.O0 sm_80.O3 sm_86.O3 sm_89.O1 sm_90.O0 sm_90.O3)
LATE_KERNELS := $(filter-out scan votes,$(KERNEL_SOURCES:tests/kernels/%.cu=%))
CUBINS := $(if $(TOOLCHAIN),$(filter-out $(foreach a,50 52 60,%/ptx.sm_$a.O0.cubin %/ptx.sm_$a.O1.cubin \
  %/ptx.sm_$a.O2.cubin %/ptx.sm_$a.O3.cubin),$(foreach k,$(KERNEL_SOURCES:tests/kernels/%.cu=%), \
  $(SASS_VARIANTS:%=$(BUILD)/cubin/$k.%.cubin) $(SASS_VARIANTS_O0:%=$(BUILD)/cubin/O0/$k.%.cubin))) \
  $(foreach k,$(LATE_KERNELS),$(LATE_VARIANTS:%=$(BUILD)/cubin/$k.%.cubin)))
# $1: variant, $2: version of ptxas, $3: of PTX
define cubin_rule
$(BUILD)/cubin/%.$1.cubin: $(BUILD)/kernels/%.ptx
	@mkdir -p $$(@D)
	@sed 's/^\.target .*/.target $(basename $1)/; s/^\.version .*/.version $3/' $$< > $$@.ptx
	@$(BUILD)/toolchain/$2/ptxas -w -$(subst .,,$(suffix $1)) -arch=$(basename $1) -o $$@ $$@.ptx
	@rm $$@.ptx
endef
$(foreach v,$(SASS_VARIANTS),$(eval $(call cubin_rule,$v,12.3,6.0)))
$(foreach v,$(LATE_VARIANTS),$(eval $(call cubin_rule,$v,12.9,7.8)))

# All kernels of a variant in one file, cubin/all/sm_62.O3.cubin, for tests that start a tool for each file.
define joined_rule
$(BUILD)/cubin/all/$1.cubin: $(patsubst %,$(BUILD)/$4/%.ptx,$(filter-out $5,$(KERNEL_SOURCES:tests/kernels/%.cu=%)))
	@mkdir -p $$@.ptx
	@for f in $$^; do sed 's/^\.target .*/.target $(basename $1)/; s/^\.version .*/.version $3/' $$$$f > $$@.ptx/$$$${f##*/} || exit 1; done
	@$(BUILD)/toolchain/$2/ptxas -w -$(subst .,,$(suffix $1)) -arch=$(basename $1) -o $$@ $$@.ptx/*.ptx
	@rm -r $$@.ptx
JOINED += $(BUILD)/cubin/all/$1.cubin
endef
JOINED :=
$(eval $(call joined_rule,sm_52.O1,12.3,6.0,kernels,ptx))
$(eval $(call joined_rule,sm_60.O2,12.3,6.0,kernels/O0,ptx))
$(eval $(call joined_rule,sm_62.O3,12.3,6.0,kernels))
$(foreach v,sm_75.O3 sm_86.O3 sm_90.O0,$(eval $(call joined_rule,$v,12.9,7.8,kernels,scan votes)))
CUBINS += $(if $(TOOLCHAIN),$(JOINED))

.PHONY: kernels
kernels: $(KERNELS) $(CUBINS) ## the kernels of tests/kernels as PTX, and as machine code after make toolchain

# NVIDIA's ptxas and disassemblers, which tests compare with; tests that want them are skipped without.
.PHONY: toolchain
toolchain: ## fetch NVIDIA's ptxas and disassemblers (240 MB) for the tests that compare with them
	@tools/toolchain $(BUILD)/toolchain
