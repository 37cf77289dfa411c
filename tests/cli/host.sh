#!/bin/bash
# The host API as a user has it: installed, found by pkg-config, from C and from C++; and its example, whose trace and
# cycles are those of the command line.
set -u
. tests/support/cli.sh
dir=$work
needs "$BUILD/examples/matmul" "$BUILD/kernels/vector_add.ptx"

# ---- the example ----------------------------------------------------------------------------------------------------
# With the README's kernel, compiled as the manual says.
mkdir "$dir/run"
sed -n '/^```cuda$/,/^```$/p' README.md | sed '/^```/d' >"$dir/run/matmul.cu"
compile=$(sed -n 's/^    \$ \(clang .*-o matmul.ptx.*\)/\1/p' docs/host-api.md)
check "README.md compiles it so, too" grep -qxF "    \$ $compile" README.md
(cd "$dir/run" && eval "${compile/clang/${CLANG:-clang} -I\"$OLDPWD/tools/cuda\"}") 2>"$dir/err"
check "the kernel is compiled" test -s "$dir/run/matmul.ptx"
example=$(realpath "$BUILD/examples/matmul")
(cd "$dir/run" && "$example") >"$dir/out"
check "the example runs" test $? -eq 0
sed -n '/^    \$ \.\/matmul$/,/^$/p' docs/host-api.md | sed '1d;/^$/d;s/^    //' >"$dir/manual"
check "it prints what docs/host-api.md says" diff "$dir/manual" "$dir/out"
sed -n '/^```c$/,/^```$/p' docs/host-api.md | sed '/^```/d' >"$dir/manual.c"
check "docs/host-api.md shows it" diff "$dir/manual.c" docs/examples/matmul.c
check "A (i % 7) times B (i % 5), computed apart" grep -qx "C\[5\]\[9\] = $(python3 -c '
print(sum((5 * 128 + k) % 7 * ((k * 128 + 9) % 5) for k in range(128)))')" "$dir/out"

# ---- against the command line ---------------------------------------------------------------------------------------
python3 - "$dir" <<'PY'
import struct, sys
for name, m in ("A", 7), ("B", 5):
    open(f"{sys.argv[1]}/{name}.bin", "wb").write(struct.pack("16384f", *(i % m for i in range(16384))))
PY
"$REPRISE" record -q -o "$dir/cli.wtr" --module "$dir/run/matmul.ptx" --kernel matmul --grid 8,8 --block 16,16 \
    --arg "buf=file:$dir/A.bin" --arg "buf=file:$dir/B.bin" --arg buf=zeros:65536 --arg i32=128 --save "2=$dir/C.bin"
host=$dir/run/matmul-host.wtr
check "the trace is whole" "$REPRISE" verify "$host"
# all that the file says, but for where it comes from and what the host did: every frame in turn, as text
content() {
    zstd -dcq "$1" | protoc --decode=reprise.Trace tracefmt/trace.proto |
        sed '/^provenance {/,/^}/d; /^host_operation {/,/^}/d'
}
content "$host" >"$dir/host.txt"
content "$dir/cli.wtr" >"$dir/cli.txt"
check "the trace says what reprise record writes" cmp "$dir/host.txt" "$dir/cli.txt"
check "... and that is something" test "$(wc -l <"$dir/host.txt")" -gt 1000
# a session allocates all before it copies, record one buffer after the other
"$REPRISE" dump --host "$host" | sort >"$dir/host.txt"
"$REPRISE" dump --host "$dir/cli.wtr" | sort >"$dir/cli.txt"
check "... and that the host did the same" cmp "$dir/host.txt" "$dir/cli.txt"
cycles=$("$REPRISE" replay --json "$dir/cli.wtr" --machine jetson-tx2 | python3 -c 'import json, sys; print(json.load(sys.stdin)["traces"][0]["total"]["cycles"])')
check "the cycles are those of reprise replay" grep -q "^$cycles cycles, " "$dir/out"

# ---- installed --------------------------------------------------------------------------------------------------------
make -s install-files BUILD="$BUILD" PREFIX="$dir/usr" >&2 || exit 1
check "of the headers only the API's, and that for kernels" test "$(cd "$dir/usr/include" && find . -type f -not -path "./reprise/cuda/*" | sort | paste -sd' ')" = "./reprise/cuda.h ./reprise/reprise.h ./reprise/tracefmt/error.h"
export PKG_CONFIG_PATH=$dir/usr/lib/pkgconfig
read -ra flags <<<"$(pkg-config --cflags reprise) -Wall -Wextra -Werror"
read -ra libraries <<<"$(pkg-config --libs reprise)"
if nm "$dir/usr/lib/libreprise.a" 2>/dev/null | grep -q __asan_init; then libraries+=("-fsanitize=address,undefined"); fi
export LD_LIBRARY_PATH=$dir/usr/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
check "the example builds against what is installed" cc -std=c17 "${flags[@]}" docs/examples/matmul.c -o "$dir/matmul" "${libraries[@]}"
(cd "$dir/run" && env -u REPRISE_MACHINES "$dir/matmul") >"$dir/out2"
check "... and runs, with the machines of this PREFIX" cmp "$dir/out" "$dir/out2"
check "it uses the shared library, by the version of its interface" eval 'objdump -p "$dir/matmul" | grep -qE "NEEDED +libreprise.so.0$"'
is "the library exports the functions of reprise.h, and nothing else" \
    "$(nm -D --defined-only "$dir/usr/lib/libreprise.so.0" | sed -n 's/.* T \(.*\)@@REPRISE_0$/\1/p' | sort | paste -sd' ')" \
    "$(sed -n '/^static/d; s/^[a-z][a-z_ ]*[ *]\(reprise_[a-z_]*\)(.*/\1/p' tools/host/reprise.h | sort -u | paste -sd' ')"
# shellcheck disable=SC2046
read -ra private <<<"$(eval echo $(sed -n 's/^    \$ cc .*libreprise.a //p' docs/host-api.md))"
check "it links statically, too" cc -std=c17 "${flags[@]}" docs/examples/matmul.c -o "$dir/static" "$dir/usr/lib/libreprise.a" "${private[@]}" "${libraries[@]:2}"
check "... and needs no libreprise.so" eval '! objdump -p "$dir/static" | grep -q "NEEDED.*libreprise"'
(cd "$dir/run" && env -u LD_LIBRARY_PATH "$dir/static") >"$dir/out3"
check "... and then runs by itself" cmp "$dir/out" "$dir/out3"
check "other languages can load it" python3 -c '
import ctypes, sys
r = ctypes.CDLL(sys.argv[1])
class Error(ctypes.Structure): _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 1024)]
error, options = Error(), (ctypes.c_char * 4096)()
r.reprise_open.restype = ctypes.c_void_p
assert not r.reprise_open(ctypes.byref(options), ctypes.byref(error)) and error.status == 1 and error.text, error.text
' "$dir/usr/lib/libreprise.so.0"
cat >"$dir/add.cpp" <<'CPP'
#include <reprise.h>

#include <cstring>
#include <numeric>
#include <vector>

int main(int, char **argv)
{
    std::vector<float> a(1000), b(1000), c(1000);
    std::iota(a.begin(), a.end(), 0);
    std::iota(b.begin(), b.end(), 5);
    rp_error err{};
    reprise_options options{};
    options.module = argv[1];
    reprise *gpu = reprise_open(&options, &err);
    reprise_launch add{};
    add.kernel = "vector_add";
    add.grid[0] = 4;
    add.block[0] = 256;
    add.args[0] = reprise_in(a.data(), 4000);
    add.args[1] = reprise_in(b.data(), 4000);
    add.args[2] = reprise_out(c.data(), 4000);
    add.args[3] = reprise_i32(1000);
    if (!gpu || !reprise_run(gpu, &add, nullptr, &err))
        return fputs(err.text, stderr), err.status;
    for (int i = 0; i < 1000; i++)
        if (c[i] != 2 * i + 5)
            return 100;
    /* one element more than there is */
    add.args[3] = reprise_i32(1001);
    bool ran = reprise_run(gpu, &add, nullptr, &err);
    return reprise_close(gpu, nullptr) && !ran && err.status == RP_KERNEL && strstr(err.text, "'vector_add") && !strstr(err.text, "_Z") ? 0 : 101;
}
CPP
if g++ -std=c++17 "${flags[@]}" "$dir/add.cpp" -o "$dir/add" "${libraries[@]}"; then
    check "a program in C++ builds and runs" "$dir/add" "$BUILD/kernels/vector_add.ptx"
    sed 's/\<vector_add\>/_Z10vector_addPKfS0_Pfi/' "$BUILD/kernels/vector_add.ptx" >"$dir/mangled.ptx"
    check "... and errors have a kernel's name in the source" "$dir/add" "$dir/mangled.ptx"
else
    echo "not ok - a program in C++ builds"
fi
