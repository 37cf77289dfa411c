# ---- libraries that CUDA programs load ------------------------------------------------------------------------------
# In build/lib, or PREFIX/lib/reprise: what takes the place of NVIDIA's. They show only the functions of CUDA's interface.

# shared VERSION-SCRIPT: links a library of the objects among the prerequisites.
shared = $(CC) $(LDFLAGS) -shared $(filter %.o,$^) -Wl,-soname,$(@F) $(if $1,-Wl$(comma)--version-script=$1) \
  $(if $(SANITIZE),,-Wl$(comma)-z$(comma)defs)
comma := ,
# By the driver beside a library.
WITH_DRIVER := -Wl,-rpath,'$$ORIGIN' -L$(BUILD)/lib -l:libcuda.so.1

# The driver. libcuda.so beside it is for programs that are linked with -lcuda.
LIBCUDA := $(BUILD)/lib/libcuda.so.1
$(LIBCUDA): $(call object,$(filter frontend/cuda/driver/%.c,$(FILES))) $(call objects,tracefmt frontend) $(LINK_FLAGS)
	@mkdir -p $(@D)
	$(call shared) -lprotobuf-c -lzstd -lelf -lm -ldl -o $@
	@ln -sf $(@F) $(@D)/libcuda.so

# The runtime, once per major version: its version, what stands behind libcudart.so. A version script says what it shows.
CUDART_VERSIONS := 11.0 12 13
CUDART := $(CUDART_VERSIONS:%=$(BUILD)/lib/libcudart.so.%)
define cudart_rule
CUDART_OBJECTS_$1 := $(patsubst frontend/cuda/runtime/%.c,$(BUILD)/obj/cudart-$1/%.o,$(filter frontend/cuda/runtime/%.c,$(FILES)))
OBJECTS += $$(CUDART_OBJECTS_$1)
$(BUILD)/obj/cudart-$1/%.o: frontend/cuda/runtime/%.c $(C_FLAGS)
	@mkdir -p $$(@D)
	$$(COMPILE) $$(IN_STACKS) -fvisibility=default -DCUDART_MAJOR=$(basename $1) -MMD -MP -c $$< -o $$@
$(BUILD)/obj/cudart-$1/exports: frontend/cuda/runtime/exports.map frontend/cuda/runtime/functions.def
	@mkdir -p $$(@D)
	$$(CC) -E -P -I. -DCUDART_MAJOR=$(basename $1) -x c $$< -o $$@
$(BUILD)/lib/libcudart.so.$1: $$(CUDART_OBJECTS_$1) $(BUILD)/obj/cudart-$1/exports $(LIBCUDA) $(LINK_FLAGS)
	@mkdir -p $$(@D)
	$$(call shared,$(BUILD)/obj/cudart-$1/exports) $$(WITH_DRIVER) -o $$@
endef
$(foreach v,$(CUDART_VERSIONS),$(eval $(call cudart_rule,$v)))

# cuBLAS with kernels of ours, which want clang. Only what tells its version differs between versions.
CUBLAS_VERSIONS := $(if $(shell command -v $(CLANG)),12 13)
CUBLAS := $(CUBLAS_VERSIONS:%=$(BUILD)/lib/libcublas.so.%)
$(BUILD)/gen/blas_kernels.ptx: frontend/cuda/blas/kernels.cu frontend/cuda/blas/arguments.h $(CUDA_HEADERS)
	@mkdir -p $(@D)
	$(CLANG) -x cuda --cuda-device-only --cuda-gpu-arch=sm_50 -nocudainc -nocudalib --cuda-path=/nonexistent -Wno-unknown-cuda-version \
	  -I. -include tools/cuda/reprise/cuda.h -std=c++17 -O2 -ffp-contract=off -Wall -Wextra -S -o $@ $<
$(BUILD)/obj/blas_kernels.o: frontend/cuda/blas/kernels.S $(BUILD)/gen/blas_kernels.ptx
	@mkdir -p $(@D)
	$(CC) -DBLAS_KERNELS='"$(BUILD)/gen/blas_kernels.ptx"' -c $< -o $@
CUBLAS_FILES := $(filter frontend/cuda/blas/%.c,$(FILES))
CUBLAS_BY_VERSION := frontend/cuda/blas/settings.c
CUBLAS_OBJECTS := $(call object,$(filter-out $(CUBLAS_BY_VERSION),$(CUBLAS_FILES))) $(BUILD)/obj/blas_kernels.o
OBJECTS += $(CUBLAS_OBJECTS)
define cublas_rule
OBJECTS += $(CUBLAS_BY_VERSION:%.c=$(BUILD)/obj/cublas-$1/%.o)
$(BUILD)/obj/cublas-$1/%.o: %.c $(C_FLAGS)
	@mkdir -p $$(@D)
	$$(COMPILE) -DCUBLAS_MAJOR=$1 -MMD -MP -c $$< -o $$@
$(BUILD)/lib/libcublas.so.$1: $(CUBLAS_OBJECTS) $(CUBLAS_BY_VERSION:%.c=$(BUILD)/obj/cublas-$1/%.o) $(LIBCUDA) $(LINK_FLAGS)
	@mkdir -p $$(@D)
	@echo 'libcublas.so.$1 { global: cublas*; local: *; };' > $(BUILD)/obj/cublas-$1/exports
	$$(call shared,$(BUILD)/obj/cublas-$1/exports) $$(WITH_DRIVER) -o $$@
endef
$(foreach v,$(CUBLAS_VERSIONS),$(eval $(call cublas_rule,$v)))
CUBLASLT := $(BUILD)/lib/libcublasLt.so.12 $(BUILD)/lib/libcublasLt.so.13
$(CUBLASLT): $(BUILD)/lib/libcublasLt.so.%: frontend/cuda/blas_lt/blas_lt.c frontend/cuda/blas_lt/refused.def $(C_FLAGS) $(LINK_FLAGS)
	@mkdir -p $(@D)
	@echo 'libcublasLt.so.$* { global: cublasLt*; local: *; };' > $(BUILD)/lib/.cublasLt-$*.exports
	$(COMPILE) -fvisibility=default $(LDFLAGS) -shared -DCUBLAS_MAJOR=$* $< -Wl,-soname,$(@F) \
	  -Wl,--version-script=$(BUILD)/lib/.cublasLt-$*.exports -o $@

# Small ones, of one file each.
$(BUILD)/lib/libreprise-redirect.so: frontend/cuda/redirect/redirect.c $(C_FLAGS)
	@mkdir -p $(@D)
	$(COMPILE) -fvisibility=default -shared $< -o $@
$(BUILD)/lib/libnvJitLink.so.13: frontend/cuda/compilers/jitlink.c $(C_FLAGS)
	@mkdir -p $(@D)
	$(COMPILE) -fvisibility=default -shared $< -Wl,-soname,$(@F) -ldl -o $@
$(BUILD)/lib/reprise-ptxas: frontend/cuda/compilers/reprise-ptxas
	@mkdir -p $(@D)
	install -m 755 $< $@

CUDA_LIBRARIES := $(LIBCUDA) $(CUDART) $(CUBLAS) $(CUBLASLT) $(BUILD)/lib/libreprise-redirect.so $(BUILD)/lib/libnvJitLink.so.13 \
  $(BUILD)/lib/reprise-ptxas
ifeq ($(ARCH),x86_64)
all: $(CUDA_LIBRARIES)
endif
