# ---- files of flags -------------------------------------------------------------------------------------------------
# Read behind all that sets flags.
FLAGS_c = $(COMPILE) $(IN_STACKS) $(COLD) $(HOT) $(COLD_FLAGS) $(foreach f,$(EXCEPTIONS),$f $(FLAGS_$f))
FLAGS_simd = $(COMPILE) $(SIMD_FLAGS) $(foreach l,$(SIMD_LEVELS),$(SIMD_FLAGS_$l))
FLAGS_link = $(CC) $(LDFLAGS) $(LDLIBS) $(RUNNER)
FLAGS_ptx = $(CLANG) $(PTX_FLAGS)
FLAGS_d3 = $(D3_FOUND)
quoted = '$(subst ','\'',$(strip $1))'
differs = $(subst |$(strip $1)|,,|$(strip $2)|)
define flags_rule
$(BUILD)/flags/$1: $(if $(call differs,$(file <$(BUILD)/flags/$1),$(FLAGS_$1)),FORCE)
	@mkdir -p $$(@D)
	@echo $$(call quoted,$$(FLAGS_$1)) > $$@
endef
.PHONY: FORCE
FORCE:
$(foreach f,c simd link ptx d3,$(eval $(call flags_rule,$f)))
