#!/bin/bash
# Images of modules as programs load them from files and from memory: damaged ones, and those of other devices' code.
set -u
. tests/support/cli.sh
golden=$PWD/tests/golden/cubin
if [ "$(uname -sm)" != "Linux x86_64" ] || address_sanitizer; then
    echo "ok - images of modules # SKIP they are loaded on Linux on x86-64, without AddressSanitizer"
    exit 0
fi
# What cuModuleLoad, cuLibraryLoadFromFile and cuModuleLoadData say of each file.
cat >"$work/load.py" <<'END'
import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1")
context, to = ctypes.c_void_p(), ctypes.c_void_p()
assert cuda.cuInit(0) == 0 and cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0) == 0
for path in sys.argv[1:]:
    file = cuda.cuModuleLoad(ctypes.byref(to), path.encode())
    library = cuda.cuLibraryLoadFromFile(ctypes.byref(to), path.encode(), None, None, 0, None, None, 0)
    memory = cuda.cuModuleLoadData(ctypes.byref(to), open(path, "rb").read() + b"\0")
    print(path.rsplit("/")[-1], file, library, memory)
END
loads() { # device, files...
    "$REPRISE" run --device "$1" -- python3 "$work/load.py" "${@:2}" 2>"$work/err"
}
refused() { # name, what is said
    is "$1" "$(loads rtx3070 "$work/$1")" "$1 200 200 200" && check "... in one line that names it" grep -q "^reprise: a module cannot be loaded: $1: $2" "$work/err"
}

# Numbers of the headers that are too large: of the header, of a section, of a fat binary.
python3 - "$golden/assertion.sm_86.cubin" "$work" <<'END'
import struct, sys
good, work = open(sys.argv[1], "rb").read(), sys.argv[2]
def damaged(name, at, form, value):
    b = bytearray(good)
    struct.pack_into(form, b, at, value)
    open(f"{work}/{name}", "wb").write(b)
sections, = struct.unpack_from("<Q", good, 0x28)
damaged("far-sections", 0x28, "<Q", 1 << 40)
damaged("past-all-sections", 0x28, "<Q", (1 << 64) - 64)
damaged("many-sections", 0x3c, "<H", 0xffff)
damaged("far-section", sections + 2 * 64 + 0x18, "<Q", 1 << 40)
damaged("large-section", sections + 2 * 64 + 0x20, "<Q", (1 << 64) - 1)
open(f"{work}/short", "wb").write(good[:40])
open(f"{work}/large.fatbin", "wb").write(struct.pack("<IHHQ", 0xba55ed50, 1, 16, 1 << 40) + good)
END
for name in far-sections past-all-sections; do refused $name "damaged: a table of the header lies beyond the image's end"; done
for name in far-section large-section; do refused $name "damaged: a section lies beyond the image's end"; done
refused many-sections "damaged: "
refused short "damaged: the header reaches beyond the image's end"
refused large.fatbin "damaged: a fat binary reaches beyond the image's end"
: >"$work/empty.cubin"
is "an empty file" "$(loads rtx3070 "$work/empty.cubin" | cut -d' ' -f1-3)" "empty.cubin 200 200"
check "... is named" grep -q "empty.cubin: empty" "$work/err"

# 200 files with bytes changed at random, all loaded by one process
python3 - "$work" "$golden/assertion.sm_86.cubin" "$golden/linked.sm_75.cubin" <<'END'
import random, sys
rng, work = random.Random(30), sys.argv[1]
good = [open(path, "rb").read() for path in sys.argv[2:]]
for n in range(200):
    b = bytearray(good[n % 2])
    for _ in range(rng.choice((1, 4, 20))):
        at = rng.choice((rng.randrange(64), rng.randrange(len(b)), len(b) - 1 - rng.randrange(2000)))
        b[at] = rng.choice((0, 0x7f, 0x80, 0xff, rng.randrange(256)))
    open(f"{work}/random-{n}", "wb").write(b[:rng.choice((len(b), rng.randrange(len(b))))])
END
is "damaged at random: the program goes on" "$(loads rtx3070 "$work"/random-* | wc -l)" 200

# Code for another device: an architecture's code runs on later devices of its major version.
code=assertion.sm_86.cubin
for device in rtx3070 rtx4090; do is "sm_86's code on $device" "$(loads $device "$golden/$code")" "$code 0 0 0"; done
for device in rtx2060 a100 h100 jetson-tx2; do
    is "sm_86's code on $device" "$(loads $device "$golden/$code")" "$code 209 209 209"
    check "... why not" grep -q "$code: a device of capability [0-9.]* can run nothing of it; it has sm_86. .*choose a device that runs its code" "$work/err"
done
