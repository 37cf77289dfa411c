#!/bin/bash
# The golden list of spellings against NVIDIA's ptxas (make toolchain). The unit tests hold our parser to the list.
set -u
build=${BUILD:-build}
list=tests/golden/ptx-accepted.txt
ptxas=$build/toolchain/12.9/ptxas
if [ ! -e "$build/toolchain/complete" ]; then
    echo "ptx.sh: NVIDIA's tools are missing, nothing to compare with; make toolchain fetches them" >&2
    echo "ok - spellings of PTX as ptxas takes them # SKIP no $build/toolchain (make toolchain)"
    exit 0
fi
. tests/support/cli.sh
dir=$work
assemble() { # standard input: instructions
    { sed -n 's/^= //p' "$list"; cat; printf 'END: ret;\n}\n'; } >"$dir/k.ptx"
    "$ptxas" -w -O0 -arch=sm_100 -o "$dir/k.cubin" "$dir/k.ptx" >"$dir/said" 2>&1
}

if sed -n 's/^+ //p' "$list" | assemble; then
    echo "ok - ptxas takes what the list says it takes ($(grep -c '^+' "$list") spellings)"
else
    echo "not ok - ptxas takes what the list says it takes"
    head -n 5 "$dir/said" >&2
fi
wrong=0
while read -r instruction; do
    if echo "$instruction" | assemble; then
        echo "ptxas takes: $instruction" >&2
        wrong=1
    fi
done < <(sed -n 's/^- //p' "$list")
modules=tests/golden/ptx-modules.txt
awk -v dir="$dir" '/^[+-] /{n++; file = dir "/" (/^\+/ ? "taken" : "refused") n ".ptx"; print "// " $0 > file; next} !/^#/{print > file}' "$modules"
for m in "$dir"/taken*.ptx "$dir"/refused*.ptx; do
    # of the first target, as far as ptxas still has it
    arch=$(sed -n 's/^\.target \(sm_[0-9]*[af]*\).*/\1/p' "$m" | head -n 1)
    [[ $arch =~ ^sm_([89][0-9]|1[0-9][0-9])[af]?$ ]] || arch=sm_75
    "$ptxas" -w -O0 -arch="$arch" -o "$dir/k.cubin" "$m" >"$dir/said" 2>&1
    took=$?
    case $m in */taken*) [ $took -eq 0 ] || { wrong=1; head -3 "$m" "$dir/said" >&2; } ;;
    *) [ $took -ne 0 ] || { wrong=1; echo "ptxas takes: $(head -1 "$m")" >&2; } ;; esac
done
[ $wrong -eq 0 ] || echo -n "not "
echo "ok - ptxas refuses what the list says it refuses ($(grep -c '^-' "$list") spellings), and takes and refuses modules as $(basename "$modules") says"
