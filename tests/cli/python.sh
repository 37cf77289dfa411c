#!/bin/bash
# The Python package, and Triton's kernels through it, in the virtual environment of make check-python.
set -u
python=$PWD/$BUILD/python/bin/python
if ! [ -e "$BUILD/python/complete" ]; then
    echo "ok - the Python package # SKIP no NumPy and Triton here: make python-environment"
    exit 0
fi
. tests/support/cli.sh
folder=$work
cp -r tools/python "$folder/source"
rm -rf "$folder/source/build" # of an earlier pip install: setuptools would take old files out of it
if "$BUILD/python/bin/pip" install -q --disable-pip-version-check --no-index --no-build-isolation --no-deps \
    --target "$folder/site" "$folder/source" >&2; then echo "ok - pip installs the package"; else
    echo "not ok - pip installs the package"; fi
export PYTHONPATH=$folder/site:$PWD/tests/python PYTHONDONTWRITEBYTECODE=1 TRITON_CACHE_DIR=$folder/triton
sed -n '/^```python$/,/^```$/p' docs/triton.md | grep -v '^```' >"$folder/example.py"
sed -n '/^prints$/,/^`attrs/p' docs/triton.md | sed -n '/^```$/,/^```$/p' | grep -v '^```' >"$folder/expected"
(cd "$folder" && "$python" example.py >printed) || failed=1
if diff "$folder/expected" "$folder/printed" >&2; then echo "ok - the example of docs/triton.md"; else
    echo "not ok - the example of docs/triton.md"; fi
"$python" tests/python/test_package.py || failed=1
"$python" tests/python/test_triton.py || failed=1
exit ${failed:-0}
