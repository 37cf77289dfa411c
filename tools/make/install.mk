# ---- installing -----------------------------------------------------------------------------------------------------
DESTDIR ?=
DIST ?= dist
ROOT = $(DESTDIR)$(PREFIX)
MACHINES := $(wildcard hw-models/machines/*.cfg)
# reprise.h and what it includes; the stages' own headers stay here.
PUBLIC_HEADERS := tracefmt/error.h
# The version of the interface of reprise.h (tools/host/reprise.map).
ABI := 0
SHARED := libreprise.so.$(VERSION)
# Headers of the names that CUDA programs include.
CUDA_STAND_INS := $(filter-out tools/cuda/compile.h tools/cuda/messages.h $(CUDA_HEADERS), \
  $(shell find tools/cuda -name '*.h' -o -name '*.cuh' -o -type f -path 'tools/cuda/cuda/*'))
COMMANDS := $(shell sed -n 's/^COMMAND(\(.*\))$$/\1/p' $$(find tools -name commands.def))
SHELLS := bash zsh fish
# What guests are compiled with.
GUEST_FILES := $(wildcard tools/guest/*.* tools/guest/gnu/*)
# CUDA programs that the tutorials run.
EXAMPLE_PROGRAMS := tests/cuda/prebuilt/vector_add tests/cuda/prebuilt/separate
# Topics that have a man page, as NAME.SECTION.
TOPICS := checks.7 statistics.7 machines.5 traces.5 statuses.7
COMPLETION_bash := share/bash-completion/completions/reprise
COMPLETION_zsh := share/zsh/site-functions/_reprise
COMPLETION_fish := share/fish/vendor_completions.d/reprise.fish
.PHONY: install install-files uninstall
install: all ## to PREFIX=/usr/local (DESTDIR is honoured)
	@$(MAKE) --no-print-directory install-files
# As they lie in the build folder, whatever flags they were built with: tests install what they test.
install-files:
	install -d $(ROOT)/bin $(ROOT)/lib/pkgconfig $(ROOT)/share/reprise/machines $(ROOT)/share/man/man1 $(ROOT)/share/man/man5 $(ROOT)/share/man/man7 $(ROOT)/include/reprise \
	  $(ROOT)/share/doc/reprise $(foreach s,$(SHELLS),$(ROOT)/$(dir $(COMPLETION_$s)))
	install -m 755 $(BUILD)/reprise $(ROOT)/bin/reprise
	install -m 644 $(BUILD)/libreprise.a $(ROOT)/lib/libreprise.a
	$(if $(filter x86_64,$(ARCH)),install -d $(ROOT)/lib/reprise && install -m 755 $(CUDA_LIBRARIES) $(ROOT)/lib/reprise && \
	  ln -sf libcuda.so.1 $(ROOT)/lib/reprise/libcuda.so)
	mkdir $(ROOT)/lib/reprise.tmp && \
	  $(COMPILE) $(DATADIR) -c $(filter %/data_folder.c,$(FILES)) -o $(ROOT)/lib/reprise.tmp/data_folder.o
	$(AR) r $(ROOT)/lib/libreprise.a $(ROOT)/lib/reprise.tmp/data_folder.o && rm -r $(ROOT)/lib/reprise.tmp
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -s -Wl,-z,defs -Wl,-soname,libreprise.so.$(ABI) -Wl,--version-script=tools/host/reprise.map \
	  -Wl,--whole-archive $(ROOT)/lib/libreprise.a -Wl,--no-whole-archive $(LDLIBS) -o $(ROOT)/lib/$(SHARED)
	ln -sf $(SHARED) $(ROOT)/lib/libreprise.so.$(ABI) && ln -sf libreprise.so.$(ABI) $(ROOT)/lib/libreprise.so
	install -m 644 $(MACHINES) $(ROOT)/share/reprise/machines
	install -m 644 $(PROTO_FILES) tracefmt/trace.h $(ROOT)/share/reprise
	cp -R *.md LICENSE CITATION.cff docs/*.md docs/*.py docs/*.png docs/*.svg docs/*.json docs/examples $(ROOT)/share/doc/reprise
	$(if $(filter x86_64,$(ARCH)),install -m 755 $(EXAMPLE_PROGRAMS) $(ROOT)/share/doc/reprise/examples)
	cd $(ROOT)/share/doc/reprise && sed -i 's,](docs/,](,g; s,](\.\./\([A-Z]*\.md\),](\1,g; s,](\.\./tracefmt/,](../../reprise/,g' *.md # all lie in one folder there
	$(BUILD)/reprise help --man | sed 's,@PREFIX@,$(PREFIX),g' > $(ROOT)/share/man/man1/reprise.1
	for c in $(COMMANDS); do \
	  $(BUILD)/reprise help --man $$c | sed 's,@PREFIX@,$(PREFIX),g' > $(ROOT)/share/man/man1/reprise-$$c.1 || exit; done
	for t in $(TOPICS); do \
	  $(BUILD)/reprise help --man $${t%.*} > $(ROOT)/share/man/man$${t#*.}/reprise-$$t || exit; done
	$(foreach s,$(SHELLS),$(BUILD)/reprise help --completion $s > $(ROOT)/$(COMPLETION_$s) &&) true
	install -m 644 tools/host/reprise.h $(ROOT)/include/reprise
	for d in $(ROOT)/include $(ROOT)/share/reprise/cuda; do for h in $(CUDA_HEADERS); do \
	  install -D -m 644 $$h $$d/$${h#tools/cuda/} || exit; done; done
	for h in $(CUDA_STAND_INS); do install -D -m 644 $$h $(ROOT)/share/reprise/cuda/$${h#tools/cuda/} || exit; done
	for f in $(GUEST_FILES); do install -D -m 644 $$f $(ROOT)/share/reprise/guest/$${f#tools/guest/} || exit; done
	for h in $(PUBLIC_HEADERS); do install -D -m 644 $$h $(ROOT)/include/reprise/$$h; done
	sed -e 's,@PREFIX@,$(PREFIX),; s,@VERSION@,$(VERSION),' docs/reprise.pc.in > $(ROOT)/lib/pkgconfig/reprise.pc
uninstall: ## take away what make install has put under PREFIX
	rm -rf $(ROOT)/lib/reprise $(ROOT)/share/reprise $(ROOT)/share/doc/reprise $(ROOT)/include/reprise
	rm -f $(ROOT)/bin/reprise $(ROOT)/lib/libreprise.a $(ROOT)/lib/libreprise.so* $(ROOT)/lib/pkgconfig/reprise.pc $(ROOT)/share/man/man1/reprise.1 \
	  $(COMMANDS:%=$(ROOT)/share/man/man1/reprise-%.1) $(foreach t,$(TOPICS),$(ROOT)/share/man/man$(subst .,,$(suffix $t))/reprise-$t) $(foreach s,$(SHELLS),$(ROOT)/$(COMPLETION_$s))

# ---- packages ---------------------------------------------------------------------------------------------------------
# RELEASE names a release of Debian, in whose clean root the package is made, of what is committed; without, it is made here.
RELEASE ?=
# The oldest one decides which glibc the wheel needs.
WHEEL_RELEASE := bullseye
DEB_RELEASES := bookworm trixie
.PHONY: wheel
ifeq ($(RELEASE),)
wheel: all ## a wheel for pip, in dist: the program with its libraries and machines, and the Python package
	@tools/setup --optional patchelf
	@rm -rf $(BUILD)/wheel
	@$(MAKE) --no-print-directory -s install-files DESTDIR=$(BUILD)/wheel PREFIX=/usr/local
	@tools/package/wheel $(BUILD)/wheel/usr/local $(DIST)
else
wheel:
	@tools/package/in-root $(RELEASE) wheel $(DIST)
endif
.PHONY: deb
ifeq ($(RELEASE),)
deb: ## a Debian package of what is committed, in dist; RELEASE=trixie: made in a clean root of that release, as wheels can be
	@tools/setup
	@tools/setup --optional debhelper fakeroot
	@tools/package/deb $(DIST)
else
deb:
	@tools/package/in-root $(RELEASE) deb $(DIST)
endif
.PHONY: dist
dist: ## the sources of what is committed, as a tarball in dist
	@mkdir -p $(DIST)
	git archive --prefix=reprise-$(VERSION)/ HEAD | gzip -n9 > $(DIST)/reprise-$(VERSION).tar.gz
.PHONY: packages
packages: ## wheel and Debian packages of what is committed, each made in a clean root, in dist; needs root
	@tools/setup --optional mmdebstrap
	@rm -f $(DIST)/gpu_reprise-*.whl
	@tools/package/in-root $(WHEEL_RELEASE) wheel $(DIST)
	@for r in $(DEB_RELEASES); do tools/package/in-root $$r deb $(DIST)/$$r || exit; done
.PHONY: release-check
release-check: dist packages ## build packages and image, and install, use and take away each in a clean root; needs root
	@tools/setup --optional buildah
	@tools/package/release-check $(DIST)
