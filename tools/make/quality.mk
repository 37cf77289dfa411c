# ---- formatting and static analysis ---------------------------------------------------------------------------------
OWN := tracefmt frontend replay hw-models tools tests
FORMATTED = $(shell find $(OWN) -name '*.[ch]' | sort)
# What cppcheck is told to pass: arithmetic right shifts (gcc and clang define them), checks that end in a function that
# does not return, and addresses and pointers that it follows no further than the assignment.
CPPCHECK_PASSES := $(foreach s,missingIncludeSystem normalCheckLevelMaxBranches shiftTooManyBitsSigned \
  arrayIndexOutOfBoundsCond duplicateAssignExpression uninitvar:tools/record/launch_file.c autoVariables:replay/session/replay.c \
  memleak:tracefmt/index.c memleak:tracefmt/tables_unpack.c \
  memleak:frontend/cuda/driver/context.c uninitvar:frontend/core/wgmma.c,--suppress=$s)
.PHONY: lint format
lint: $(GENERATED) ## clang-format and cppcheck
	clang-format --dry-run --Werror $(FORMATTED)
	cppcheck --quiet --std=c11 --enable=warning,portability --error-exitcode=1 -j $$(nproc) $(CPPCHECK_PASSES) \
	  -I. -D__x86_64__ -DSIMD_LEVEL=v2 $(filter-out tests,$(OWN))
format: ## mend the formatting
	clang-format -i $(FORMATTED)

# ---- sanitizers, each in a build folder of its own ------------------------------------------------------------------
ADDRESS := -fsanitize=address,undefined
.PHONY: asan tsan valgrind-cuda
asan: deps dataset ## the tests again under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(PARALLEL) BUILD=$(BUILD)/asan OPT=-O1 \
	  SANITIZE='$(ADDRESS) -fno-sanitize-recover=undefined -fno-omit-frame-pointer' all units kernels network-programs
	@BUILD=$(BUILD)/asan TIME_LIMIT=3600 tests/run
TSAN_SUITES ?= cuda device engine host memory replay
tsan: deps ## the suites that run threads under ThreadSanitizer (TSAN_SUITES=...)
	@$(PARALLEL) BUILD=$(BUILD)/tsan OPT=-O1 TSAN=1 SANITIZE='-fsanitize=thread -fno-omit-frame-pointer' \
	  kernels $(TSAN_SUITES:%=$(BUILD)/tsan/tests/%)
	@for s in $(TSAN_SUITES); do echo "# $$s"; BUILD=$(BUILD)/tsan REPRISE_MACHINES=$(abspath hw-models/machines) \
	  TSAN_OPTIONS=suppressions=$(abspath tests/tsan/races-of-kernels) $(BUILD)/tsan/tests/$$s || failed=1; done; [ -z "$$failed" ]
valgrind-cuda: all ## programs of tests/cuda under memcheck, one with threads under helgrind
	@BUILD=$(BUILD) tests/cuda/valgrind

# ---- libFuzzer ------------------------------------------------------------------------------------------------------
# tests/fuzz/fuzz_NAME.c, each for FUZZ_SECONDS, from tests/fuzz/seeds/NAME and what seeds_NAME.c writes. A crash leaves
# its input under $(BUILD)/fuzz.
FUZZ_SECONDS ?= 60
FUZZERS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SEEDS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/seeds_*.c))
FUZZ_BUILD = $(BUILD)/fuzz
.PHONY: fuzz fuzz-build fuzz-programs
fuzz: fuzz-build ## each libFuzzer target for FUZZ_SECONDS=60
	@tests/fuzz/run $(FUZZ_BUILD) $(FUZZ_SECONDS) $(FUZZERS)
fuzz-build: deps ## the programs of make fuzz
	@$(PARALLEL) BUILD=$(FUZZ_BUILD) CC=$(CLANG) OPT=-O1 SANITIZE='$(ADDRESS),fuzzer-no-link' fuzz-programs
fuzz-programs: $(FUZZERS:%=$(BUILD)/fuzz_%) $(FUZZ_SEEDS:%=$(BUILD)/%)
$(BUILD)/seeds_%: $(BUILD)/obj/tests/fuzz/seeds_%.o $(SUPPORT) $(LIBS) $(LINK_FLAGS)
	$(link)
# The objects of tools stand behind the libraries, which are therefore named again.
$(BUILD)/fuzz_accelsim: private LDLIBS := $(LIBS) $(LDLIBS) -llzma
$(BUILD)/fuzz_gpgpusim: private LDLIBS := $(LIBS) $(LDLIBS)
$(BUILD)/fuzz_accelsim: $(call objects,tools/accelsim tools/ui) $(call tool_objects,lib/cleanup lib/output lib/input)
$(BUILD)/fuzz_gpgpusim: $(call objects,tools/gpgpusim) $(call tool_objects,file)
$(FUZZERS:%=$(BUILD)/fuzz_%): private LDFLAGS += -fsanitize=fuzzer
$(BUILD)/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(SUPPORT) $(LIBS) $(LINK_FLAGS)
	$(link)
