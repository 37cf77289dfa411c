# Reprise: record a GPU kernel once, replay its timing on any hardware.
#
# This file names what one may set. The rules are in tools/make, a file for each purpose. A comment with two # behind a
# target is its line in `make help`.

BUILD    ?= build
PREFIX   ?= /usr/local
CLANG    ?= clang
ifeq ($(origin CC),default)
CC       := gcc
endif
OPT      ?= -O2
# WERROR=1: warnings are errors, as in CI.
WERROR   ?=
SANITIZE ?=
# The library that draws the charts of reprise report, and its licence: Debian's node-d3.
D3         ?= /usr/share/nodejs/d3/dist/d3.min.js
D3_LICENCE ?= /usr/share/doc/node-d3/copyright
# The one place of the version is where pip wants it.
VERSION  := $(shell sed -n 's/^version = "\(.*\)"/\1/p' tools/python/pyproject.toml)
ARCH     := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))
# Compiles and links side by side, whatever make was called with.
PARALLEL = $(MAKE) --no-print-directory -s -j$$(nproc)

.PHONY: all
all: $(BUILD)/reprise $(BUILD)/libreprise.a ## reprise, libreprise.a and the libraries that CUDA programs load (default)

include tools/make/build.mk
include tools/make/cuda.mk
include tools/make/kernels.mk
include tools/make/tests.mk
include tools/make/hardware.mk
include tools/make/bench.mk
include tools/make/quality.mk
include tools/make/install.mk
include tools/make/flags.mk

.PHONY: deps demo clean help
deps: ## install the Debian packages that building and testing need
	@tools/setup
demo: deps ## install what is missing, build, record a kernel, replay it under three schedulers
	@$(PARALLEL) $(BUILD)/reprise $(BUILD)/kernels/matmul.ptx
	@BUILD=$(BUILD) tools/demo
clean: ## remove the build folder
	rm -rf $(BUILD)
help: ## this list
	@awk -f tools/make/help.awk $(filter-out %.d,$(MAKEFILE_LIST))
	@echo
	@echo 'Variables: CC, CLANG, OPT=-O2, WERROR=1 (warnings are errors), BUILD=build, PREFIX, DESTDIR.'

# Which headers an object was compiled with. A file that is not there yet needs no rule.
-include $(wildcard $(OBJECTS:.o=.d))
