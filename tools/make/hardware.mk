# ---- a real GPU -----------------------------------------------------------------------------------------------------
# Programs each of whose launches is repeated on a GPU and compared (tests/hardware/README.md). They run on machines that
# have nothing of this one: libraries are linked statically, and the suites have the runner of make tsan instead of Criterion.
HARDWARE := $(BUILD)/hardware
HARDWARE_PROGRAMS := $(addprefix $(HARDWARE)/bin/,kernels matrix ptx_forms sass7x order functions programs)
hardware_objects = $(patsubst %.c,$(HARDWARE)/obj/%.o,$(filter $1,$(C_FILES)))
JUDGE := $(call hardware_objects,$(addprefix tests/hardware/,judge.c subject.c rig_cubin.c memory_image.c images.c found.c gpu.c gpu_memory.c))
HARDWARE_SUPPORT := $(HARDWARE)/libsupport.a
HARDWARE_LIBS := -Wl,-Bstatic -lprotobuf-c -lzstd -lconfig -ljansson -lelf -lz -Wl,-Bdynamic -lm -ldl

$(HARDWARE)/obj/%.o: %.c $(C_FLAGS) | $(GENERATED)
	@mkdir -p $(@D)
	$(COMPILE) -Itests/tsan $(call flags,$<) -MMD -MP -c $< -o $@
-include $(patsubst %.o,%.d,$(call hardware_objects,tests/%))

# What else is in the suites' libsupport.a is not of Criterion.
$(HARDWARE_SUPPORT): $(call hardware_objects,tests/support/% tests/kernels/%) $(filter-out $(BUILD)/obj/tests/%,$(SUPPORT_OBJECTS))
	$(archive)
$(HARDWARE)/bin/%: $(JUDGE) $(HARDWARE_SUPPORT) $(HOST) $(LIBS) $(LINK_FLAGS)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -Wl,--wrap=rp_launch_kernel,--wrap=module_load_bytes,--wrap=ptx_load_text $(filter %.o,$^) $(filter %.a,$^) $(HARDWARE_LIBS) -o $@
$(foreach s,kernels matrix ptx_forms sass7x,$(eval $(HARDWARE)/bin/$s: $(call hardware_objects,tests/unit/$s/%)))
$(HARDWARE)/bin/sass7x: $(call hardware_objects,tests/unit/ptx_forms/reference%.c)
$(foreach s,programs order functions,$(eval $(HARDWARE)/bin/$s: $(HARDWARE)/obj/tests/hardware/$s.o))
$(filter-out %/programs,$(HARDWARE_PROGRAMS)): $(HARDWARE)/obj/tests/tsan/main.o

.PHONY: hardware-programs hardware-kit
hardware-programs: $(HARDWARE_PROGRAMS)
# make check tries what compiles in a moment (tests/cli/hardware.sh).
units: $(filter %/programs %/order %/functions,$(HARDWARE_PROGRAMS))
hardware-kit: deps toolchain ## a folder whose run.sh compares the emulator with a GPU of sm_90 (tests/hardware/README.md)
	@$(PARALLEL) hardware-programs kernels
	@BUILD=$(BUILD) CLANG=$(CLANG) tests/hardware/kit $(BUILD)/hardware-kit
