# ---- how C is compiled ----------------------------------------------------------------------------------------------
# Each object once, for programs, static and shared libraries alike: position-independent, and what it defines is seen
# within one link only, unless its source says otherwise. Objects lie under $(BUILD)/obj at the path of their source.

# Programs of guests (tools/guest, tests/guests) are for other machines.
FILES := $(filter-out tools/guest/% tests/guests/%,$(shell find tracefmt frontend hw-models replay tools tests -name '*.c' -o -name '*.proto'))
# frontend/cuda makes libraries of its own: cuda.mk.
C_FILES := $(filter-out %.simd.c frontend/cuda/%,$(filter %.c,$(FILES)))
SIMD_FILES := $(filter %.simd.c,$(FILES))
PROTO_FILES := $(filter %.proto,$(FILES))
GENERATED := $(PROTO_FILES:%.proto=$(BUILD)/gen/%.pb-c.h)

CPPFLAGS += -I. -I$(BUILD)/gen -D_GNU_SOURCE -DREPRISE_VERSION='"$(VERSION)"'
DATADIR   = -DREPRISE_DATADIR='"$(PREFIX)/share/reprise"'
# No contraction: a multiply and an add of the kernel stay two roundings. No -ffast-math anywhere.
CFLAGS   += -std=c17 $(OPT) -g -pthread -fPIC -fvisibility=hidden -ffp-contract=off -Wall -Wextra $(if $(WERROR),-Werror) $(SANITIZE)
LDFLAGS  += -pthread $(SANITIZE)
LDLIBS   += -lprotobuf-c -lzstd -lconfig -ljansson -lelf -lm -ldl
COMPILE   = $(CC) $(CPPFLAGS) $(CFLAGS)

# What runs for a moment only is compiled in less time. The searches of tools/wcet run for minutes; tools/timeline
# follows each instruction of a replay.
COLD  := tools/% frontend/isa/% frontend/loader/% frontend/module/% tests/unit/%
HOT   := tools/wcet/% tools/timeline/%
COLD_FLAGS := $(if $(filter -O2,$(OPT)),-O1)
# Exceptions for single files, by folder and name.
EXCEPTIONS := check/race.c check/check.c network/train.c fast/sm.c guest/lockstep.c timeline/relay.c timeline/flights.c timeline/tracks.c timeline/konata.c
FLAGS_check/race.c    := -O3 # vectorises
FLAGS_check/check.c   := -O3
FLAGS_network/train.c := -O3
# Their speed must not depend on where their loops happen to lie: 8 % between two layouts of the same code.
FLAGS_fast/sm.c       := -falign-loops=32 -falign-functions=64
FLAGS_guest/lockstep.c := -falign-loops=64
# They read events field by field just as they were written. A vector that holds several such fields has to wait until
# they are in the cache.
FLAGS_timeline/relay.c := -fno-tree-slp-vectorize
FLAGS_timeline/flights.c := -fno-tree-slp-vectorize
FLAGS_timeline/tracks.c := -fno-tree-slp-vectorize
FLAGS_timeline/konata.c := -fno-tree-slp-vectorize
# Reports name the function that the program has called, which is found in the stack.
IN_STACKS := -fno-optimize-sibling-calls
flags = $(if $(filter frontend/cuda/%,$1),$(IN_STACKS)) $(if $(filter-out $(HOT),$(filter $(COLD),$1)),$(COLD_FLAGS)) $(FLAGS_$(notdir $(patsubst %/,%,$(dir $1)))/$(notdir $1))

# A .simd.c file is compiled once per vector width. SIMD_NAME(x) in it names the width's own copy of x; the caller picks
# one at run time (SIMD_SELECT). Nobody looks at floating-point exceptions or errno there, and only without them do
# compilers vectorise trunc and sqrt; results are the same. v2 is for processors that are older than AVX2.
ifeq ($(ARCH),x86_64)
SIMD_LEVELS := v2 v3 v4
SIMD_FLAGS_v2 := -O1 -march=x86-64-v2
else
SIMD_LEVELS := v2
SIMD_FLAGS_v2 := -O3
endif
SIMD_FLAGS_v3 := -O3 -march=x86-64-v3 -mprefer-vector-width=256
SIMD_FLAGS_v4 := -O3 -march=x86-64-v4 -mprefer-vector-width=512
SIMD_FLAGS := -g1 -fno-math-errno -fno-trapping-math

# The objects of folders, or of the files that are named.
object = $(patsubst %.c,$(BUILD)/obj/%.o,$1)
folder_objects = $(call object,$(filter $1,$(C_FILES))) \
  $(foreach l,$(SIMD_LEVELS),$(patsubst %.simd.c,$(BUILD)/obj/%.simd.$l.o,$(filter $1,$(SIMD_FILES)))) \
  $(patsubst %.proto,$(BUILD)/obj/gen/%.pb-c.o,$(filter $1,$(PROTO_FILES)))
objects = $(sort $(call folder_objects,$(1:%=%/%)))
# Files of tools by their names, wherever there they lie.
tool_objects = $(sort $(call object,$(filter $(1:%=tools/%.c),$(FILES)) $(foreach n,$1,$(filter tools/%/$n.c,$(FILES)))))
OBJECTS := $(call folder_objects,%) $(call object,$(filter frontend/cuda/driver/%,$(FILES)))

# What a failed command leaves behind is not newer than its sources.
.DELETE_ON_ERROR:

# What is made with flags depends on a file that holds them, and that is written when they are others: flags.mk. Libraries
# of a single program are private to it, and not in there.
C_FLAGS := $(BUILD)/flags/c
SIMD_C_FLAGS := $(BUILD)/flags/simd
LINK_FLAGS := $(BUILD)/flags/link
PTX_FLAGS_FILE := $(BUILD)/flags/ptx

$(BUILD)/obj/%.o: %.c $(C_FLAGS) | $(GENERATED)
	@mkdir -p $(@D)
	$(COMPILE) $(call flags,$<) -MMD -MP -c $< -o $@
# make install compiles it again for its PREFIX.
$(BUILD)/obj/%/data_folder.o: private CPPFLAGS += $(DATADIR)
define simd_rule
$(BUILD)/obj/%.simd.$1.o: %.simd.c $(SIMD_C_FLAGS)
	@mkdir -p $$(@D)
	$$(COMPILE) $$(SIMD_FLAGS) $$(SIMD_FLAGS_$1) -DSIMD_LEVEL=$1 -MMD -MP -c $$< -o $$@
endef
$(foreach l,$(SIMD_LEVELS),$(eval $(call simd_rule,$l)))

$(BUILD)/gen/%.pb-c.c $(BUILD)/gen/%.pb-c.h: %.proto
	@mkdir -p $(@D)
	protoc-c --c_out=$(BUILD)/gen $<
.SECONDARY: $(PROTO_FILES:%.proto=$(BUILD)/gen/%.pb-c.c)
$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c $(C_FLAGS)
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP -c $< -o $@

# What the results of replays depend on besides trace and machine (tools/results/identity.c): stored ones are of one state
# of these sources. A folder is newer when a file comes or goes.
TIMING_SOURCES := $(sort $(shell find tracefmt hw-models replay -name '*.[ch]' -o -name '*.def' -o -name '*.proto'))
$(BUILD)/gen/timing_sources.h: $(TIMING_SOURCES) $(sort $(dir $(TIMING_SOURCES)))
	@mkdir -p $(@D)
	@sha256sum $(TIMING_SOURCES) | sha256sum | sed 's/\(.*\)  -/#define TIMING_SOURCES "\1"/' > $@
$(BUILD)/obj/tools/results/identity.o: $(BUILD)/gen/timing_sources.h

# Machine files are parts of the program (replay/base/built_in.c).
MACHINE_FILES := $(sort $(wildcard hw-models/machines/*.cfg))
$(BUILD)/gen/replay/base/built_in_machines.h: $(MACHINE_FILES) hw-models/machines
	@mkdir -p $(@D)
	@printf '%s\n' $(MACHINE_FILES:hw-models/machines/%.cfg=%) | awk '{ printf "MACHINE(%d, \"%s\", \"hw-models/machines/%s.cfg\")\n", NR, $$1, $$1 }' > $@
$(BUILD)/obj/replay/base/built_in.o: $(BUILD)/gen/replay/base/built_in_machines.h

# The page of reprise report is a part of the program (tools/report/page.c). Without D3 there is a program, too.
PAGE := $(BUILD)/gen/report
PAGE_SCRIPTS := $(sort $(wildcard tools/report/page/*.js))
D3_FLAGS := $(BUILD)/flags/d3
D3_FOUND := $(if $(wildcard $(D3)),$(if $(wildcard $(D3_LICENCE)),$(D3) $(D3_LICENCE)))
$(PAGE)/library.js: $(D3_FLAGS)
	@mkdir -p $(@D)
	@$(if $(D3_FOUND),,echo 'make: WARNING: D3 is not here (Debian: node-d3; D3=, D3_LICENCE=): reprise report will not work' >&2)
	@cat $(if $(D3_FOUND),$(D3),/dev/null) > $@
$(PAGE)/licence.txt: $(D3_FLAGS)
	@mkdir -p $(@D)
	@cat $(if $(D3_FOUND),$(D3_LICENCE),/dev/null) > $@
$(PAGE)/page.js: $(PAGE_SCRIPTS) tools/report/page
	@mkdir -p $(@D)
	@cat $(PAGE_SCRIPTS) > $@
$(PAGE)/page.css: tools/report/page/page.css
	@mkdir -p $(@D)
	@cat $< > $@
$(BUILD)/obj/tools/report/page.o: private CPPFLAGS += -DREPORT_PARTS='"$(PAGE)/"'
$(BUILD)/obj/tools/report/page.o: $(addprefix $(PAGE)/,library.js licence.txt page.js page.css)

# ---- what is made of the objects ------------------------------------------------------------------------------------
# Archives within build/ only name their objects; libreprise.a has them.
define archive
@mkdir -p $(@D)
@rm -f $@
$(AR) qcsT $@ $(filter %.o,$^)
endef
define link
@mkdir -p $(@D)
$(CC) $(LDFLAGS) $(filter %.o %.a,$^) $(LDLIBS) -o $@
endef

LIBS := $(foreach s,replay hw-models frontend tracefmt,$(BUILD)/lib$s.a)
$(LIBS): $(BUILD)/lib%.a:
	$(archive)
$(foreach s,tracefmt frontend hw-models replay,$(eval $(BUILD)/lib$s.a: $(call objects,$s)))

# The bounds of tools/wcet, so that tests can link them.
WCET := $(BUILD)/libwcet.a
$(WCET): $(call objects,tools/wcet) $(call tool_objects,interrupt)
	$(archive)

# The host API, above all stages, with what it needs of the rest of tools.
HOST := $(BUILD)/libhost.a
$(HOST): $(call objects,tools/host) $(call tool_objects,lib/output lib/input cleanup nearest)
	$(archive)

$(BUILD)/libreprise.a: $(call objects,tools/host tracefmt frontend hw-models replay) $(call tool_objects,lib/output lib/input cleanup nearest)
	@rm -f $@
	$(AR) qcs $@ $^

$(BUILD)/reprise: private LDLIBS += -lsqlite3 -llzma -lstdc++
$(BUILD)/reprise: $(call objects,tools) $(LIBS) $(LINK_FLAGS)
	$(link)
