#!/bin/bash
# clang, too, accepts every file without a warning.
set -u
compiler=${CLANG:-clang}
flags="-std=c17 -fsyntax-only -Wall -Wextra -Werror -ffp-contract=off -I. -I$BUILD/gen -D_GNU_SOURCE -DREPRISE_VERSION=\"x\" -DREPRISE_DATADIR=\"x\" -DREPORT_PARTS=\"x\" -DSIMD_LEVEL=v2"
# shellcheck disable=SC2086
if find tracefmt frontend replay hw-models tools -path tools/guest -prune -o -name '*.c' -print0 | xargs -0 -P "$(nproc)" -n 8 "$compiler" $flags >&2; then
    echo "ok - clang accepts every file without a warning"
else
    echo "not ok - clang has warnings"
fi
