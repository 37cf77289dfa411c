"""Compiles files of random programs: for the host, to PTX, to machine code; and compares what they leave."""

import os
import re
import subprocess

ARCHES = ["50", "62", "52", "60", "53", "61"]
LATE = ["75", "86", "90", "80", "89", "70"]
LATE_PTX = "7.8"  # the version of PTX that all of these are in
LEVELS = ["3", "0", "2", "1"]
DEVICE = ("-x cuda --cuda-device-only --cuda-gpu-arch=sm_62 -nocudainc -nocudalib --cuda-path=/nonexistent "
          "-Wno-unknown-cuda-version -Xclang -target-feature -Xclang +ptx60 -ffp-contract=off -w -I. -S").split()
HOST = "-x c++ -std=c++17 -O0 -ffp-contract=off -w -I. -shared -fPIC".split()
# Finds what C leaves undefined; the generator must not write it.
CHECKED = "-fsanitize=undefined,float-cast-overflow -fno-sanitize=vptr,function -fsanitize-undefined-trap-on-error".split()
COMPARE_SECONDS = 120


class Module:
    """How a file becomes a module: clang's level, and None or ptxas's version, level and architecture."""

    def __init__(self, clang_level, ptxas=None):
        self.clang_level, self.ptxas = clang_level, ptxas

    def __str__(self):
        text = "clang -O%s" % self.clang_level
        return text + (", ptxas %s -O%s sm_%s" % self.ptxas if self.ptxas else "")

    def path(self, stem):
        ptx = "%s.O%s" % (stem, self.clang_level)
        return "%s.%s.O%s.sm_%s.cubin" % ((ptx,) + self.ptxas) if self.ptxas else ptx + ".ptx"


class Tools:
    def __init__(self, build, clang):
        self.clang = clang
        self.compare = os.path.join(build, "random-compare")
        self.reprise = os.path.join(os.getcwd(), build, "reprise")
        self.toolchain = os.path.join(build, "toolchain")
        self.has_ptxas = os.path.exists(os.path.join(self.toolchain, "complete"))
        self.host_flags = HOST

    def modules(self, file_index):
        """The modules that file `file_index` is compiled to: always both of PTX; all versions, levels and architectures
        of machine code in turn. ptxas takes several times as long for unoptimised PTX: every sixth file."""
        k = file_index
        out = [Module("0"), Module("2")]
        if self.has_ptxas:
            version = ["12.3", "12.9"][k // 3 % 2]
            arch, level = ARCHES[k % 6], LEVELS[(k + k // 6) % 4]
            out.append(Module("2", (version, level, arch)))
            out.append(Module("2", ("12.9", LEVELS[(k // 2 + k // 12) % 4], LATE[k % 6])))
            if k % 6 == 0:
                out.append(Module("0", (version, LEVELS[k // 6 % 4], ARCHES[k // 6 % 6])))
        return out


    def modules_of_check(self, k):
        """The modules of file `k` in make check: PTX, and sm_75, sm_86 and sm_90 at a level in turn; of every fourth file
        also those of the other architectures."""
        out = [Module("2")] + ([Module("0")] if k % 4 == 0 else [])
        if self.has_ptxas:
            out += [Module("2", ("12.9", LEVELS[(k + i) % 4], arch)) for i, arch in enumerate(["75", "86", "90"])]
            if k % 4 == 0:
                out += [Module("2", ("12.3", LEVELS[k // 4 % 4], ARCHES[k // 4 % 6]))]
        return out


class Refused(RuntimeError):
    """A compiler does not take what it is given; `module` is what it would have made, None where that is the host's."""

    def __init__(self, module, what):
        super().__init__(what)
        self.module = module


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, **more)


def compiled(module, command):
    done = run(command)
    if done.returncode != 0:
        raise Refused(module, "%s:\n%s" % (" ".join(command), done.stderr[-2000:]))


def device(tools, source, stem, module):
    """Makes `module` of `source`; the PTX of its level is made if it is not there."""
    ptx = Module(module.clang_level).path(stem)
    if not os.path.exists(ptx):
        compiled(module, [tools.clang] + DEVICE + ["-O" + module.clang_level, "-o", ptx, source])
    if not module.ptxas:
        return ptx
    version, level, arch = module.ptxas
    to = module.path(stem)
    text = open(ptx).read()
    for_arch = to + ".ptx"
    with open(for_arch, "w") as f:
        text = re.sub(r"^\.target .*", ".target sm_" + arch, text, count=1, flags=re.M)
        late = re.sub(r"^\.version .*", ".version " + LATE_PTX, text, count=1, flags=re.M)
        f.write(late if arch in LATE else text)
    try:
        ptxas = os.path.join(tools.toolchain, version, "ptxas")
        compiled(module, [ptxas, "-w", "-arch=sm_" + arch, "-O" + level, "-o", to, for_arch])
    finally:
        os.remove(for_arch)
    return to


def differences(tools, source, stem, modules):
    """Compiles and compares. A list of (program, module, what), or an exception if that is impossible."""
    host = stem + ".so"
    compiled(None, [tools.clang] + tools.host_flags + ["-o", host, source, "-lm"])
    paths = {device(tools, source, stem, m): m for m in modules}
    done = run([tools.compare, host] + list(paths), timeout=COMPARE_SECONDS)
    found = []
    for line in done.stdout.splitlines():
        match = re.match(r"(p\d+) (\S+): (.*)", line)
        if match and match.group(2) in paths:
            found.append((match.group(1), paths[match.group(2)], match.group(3).replace(match.group(2) + ": ", "")))
    if done.returncode not in (0, 1) or (done.returncode == 1) != bool(found):
        said = (done.stdout + done.stderr)[-2000:]
        raise RuntimeError("%s: exit status %d\n%s" % (tools.compare, done.returncode, said))
    return found


def texts(tools, stem, modules):
    """What tests/support/same_text says of the machine code, a line for each file."""
    cubins = [m.path(stem) for m in modules if m.ptxas]
    environment = dict(os.environ, REPRISE=tools.reprise)
    done = run(["tests/support/same_text", os.path.join(tools.toolchain, "12.3")] + cubins, env=environment)
    lines = done.stdout.splitlines()
    return lines if len(lines) == len(cubins) else ["FAIL same_text: " + done.stderr[-2000:]]


def clean(stem, modules):
    for path in [stem + ".so", stem + ".cu"] + [m.path(stem) for m in modules] + [Module(l).path(stem) for l in "02"]:
        if os.path.exists(path):
            os.remove(path)
