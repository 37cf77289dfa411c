#!/bin/bash
# README, the examples of help and man pages, docs/pandas.md and docs/sweep.md: every command runs as printed, and prints what is printed.
set -u
. tests/support/cli.sh
dir=$work
needs "$BUILD/bench/approximations" "$BUILD/kernels/matmul.ptx"
export BUILD
root=$PWD
export PYTHONPATH=$PWD/tools/python # the package
mkdir "$dir/bin" "$dir/readme" "$dir/man" "$dir/pandas"
ln -s "$REPRISE" "$dir/bin/reprise"
export PATH=$dir/bin:$PATH
unset NO_COLOR
for folder in readme man; do # a configuration of GPGPU-Sim
    cp tests/golden/gpgpusim/rtx2060.config "$dir/$folder/gpgpusim.config"
    cp tests/golden/gpgpusim/rtx2060-trace.config "$dir/$folder/trace.config"
done
cp tests/cuda/prebuilt/vector_add "$dir/readme/app"
cp tests/golden/guests/matmul.gcc-O2.rv32imac.elf "$dir/man/mm.elf"
cat >"$dir/bin/ncu" <<'NCU' # Nsight Compute's output for the launch in mm.wtr
#!/bin/sh
cat <<'CSV'
"ID","Process ID","Kernel Name","gpc__cycles_elapsed.max"
"","","","cycle"
"0","1","matmul","6,789"
CSV
NCU
chmod +x "$dir/bin/ncu"
"$dir/bin/ncu" | tee "$dir/readme/mm.csv" >"$dir/man/mm.csv"
programs=1 # run here
if [ "$(uname -sm)" != "Linux x86_64" ] || address_sanitizer; then programs=; fi
export programs
make -s install-files BUILD="$BUILD" PREFIX="$dir/usr" >&2 || exit 1
export CPLUS_INCLUDE_PATH=$dir/usr/include # as /usr/local/include is by itself

# ---- README --------------------------------------------------------------------------------------------------------
python3 - README.md "$dir/readme" <<'PY'
import os, re, shutil, subprocess, sys
readme, folder = sys.argv[1:]
text = open(readme).read()
open(folder + '/matmul.cu', 'w').write(re.search(r'```cuda\n(.*?)```', text, re.S).group(1))
# indented blocks: lines of four blanks, with empty lines between such lines
blocks = re.findall(r'(?:^    .*\n|^\n(?=    ))+', re.sub(r'^```.*?^```$', '', text, flags=re.S | re.M), re.M)
def run(command):
    return subprocess.run(command, shell=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
def plain(output):  # what differs from run to run: seconds, and the folder
    output = re.sub(r'\d+\.\d+ s$', 'T s', output, flags=re.M)
    return re.sub(r'[^\s(]*/matmul\.cu:', 'matmul.cu:', output).rstrip('\n')
count = 0
def report(ok, what):
    global count
    count += 1
    print(('ok' if ok else 'not ok') + ' - README: ' + what)
for block in blocks:
    lines = [l[4:] if l.startswith('    ') else l for l in block.strip('\n').split('\n')]
    if lines[0].startswith('make'):
        continue  # tests of the demonstration, of this one, and of installing
    if not lines[0].startswith('$ '):
        for l in lines:
            if l.startswith('reprise '):
                command = l.split('#')[0].strip()
                ran = run(command)
                report(ran.returncode == 0 and ran.stdout, command)
                if ran.returncode: print(ran.stdout, file=sys.stderr)
            elif l.strip():
                report(False, 'what is this line? ' + l)
        continue
    while lines:
        command = lines.pop(0)[2:]
        while command.endswith('\\'):
            command += '\n' + lines.pop(0)
        expected = []
        while lines and not lines[0].startswith('$ '):
            expected.append(lines.pop(0))
        if re.search(r' -- | app\.wtr', command) and not os.environ['programs']:
            print('ok - README: ' + command + ' # SKIP CUDA programs do not run here')
            continue
        if not shutil.which(command.split()[0]):
            print(f'ok - README: {command.split()[0]} # SKIP no {command.split()[0]} here')
            continue
        ran = run(command)
        ran.stdout = re.sub(r'^clang: warning: .*\n', '', ran.stdout, flags=re.M)  # about a CUDA installation it does not know
        wanted, got = plain('\n'.join(expected)), plain(ran.stdout)
        failing = 'reprise: kernel' in wanted
        ok = wanted == got and ran.returncode == (3 if failing else 0)
        report(ok, command.split('\n')[0].rstrip('\\ '))
        if not ok:
            print(f'status {ran.returncode}, printed:\n{got}\nREADME has:\n{wanted}', file=sys.stderr)
if count < 12:
    report(False, f'only {count} commands were found')
for link in re.findall(r'\]\(([^)#:]+)\)', text):
    if not os.path.exists(link): report(False, 'a link to ' + link)
linked = set(re.findall(r'\]\(([^)#:]+)\)', open('docs/index.md').read()))
report(all(os.path.exists('docs/' + link) for link in linked) and {n for n in os.listdir('docs') if n.endswith('.md')} - {'index.md'} <= linked,
       'docs/index.md names every document')
PY

# ---- the examples of the man pages ---------------------------------------------------------------------------------
cd "$dir/man" || exit 1
cp "$root/$BUILD/kernels/matmul.ptx" "$root/docs/examples/chain.cfg" "$root/tests/golden/cubin/module.cubin" . 2>/dev/null ||
    cp "$BUILD/kernels/matmul.ptx" "$root/docs/examples/chain.cfg" "$root/tests/golden/cubin/module.cubin" .
printf '#!/bin/sh\n[ -z "$REPRISE_CHECK" ] || exec "%s" 16\n' "$dir/readme/app" >app # a program; under checks it uses CUDA
chmod +x app
printf '.section .nv_fatbin,"a"\n.incbin "%s"\n' "$root/tests/golden/fatbin/plain.fatbin" |
    "${CLANG:-clang}" -c -x assembler -o program - # what of one has machine code
ar rcs libkernels.a program # of such objects
echo 'kind=leak' >known.txt
cat >saxpy.cu <<'CUDA'
__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
CUDA
cat >sum.cu <<'CUDA'
__global__ void sum(const int *in, int *out) { atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]); }
CUDA
"${CLANG:-clang}" -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib --cuda-path=/nonexistent -include reprise/cuda.h \
    -O2 -S -o sum.ptx sum.cu >&2
reprise record -q -o one-block.wtr --module matmul.ptx --kernel matmul --grid 1 --block 16,16 --arg buf=rand-f32:256:seed=1 \
    --arg buf=rand-f32:256:seed=2 --arg buf=zeros:1K --arg i32=16
reprise record -q -o guest.wtr --guest "$root/tests/golden/guests/matmul.gcc-O2.rv32imac.elf" --cores 32 >&2
reprise export accelsim -q one-block.wtr -o traces
for c in $(sed -n 's/^COMMAND(\(.*\))$/\1/p' "$root/tools/commands/commands.def"); do
    reprise help --man "$c" | python3 -c '
import re, sys
page = sys.stdin.read()
examples = page[page.index(".SH EXAMPLES"):page.index(".SH EXIT STATUS")]
for block in re.findall(r"^\.nf\n(.*?)^\.fi$", examples, re.S | re.M):
    print(block.replace("\\-", "-").replace("\\e", "\\").rstrip("\n").replace("\n", "\0"))' >"$dir/examples"
    [ -s "$dir/examples" ] || echo "not ok - man page $c has examples"
    python3 - "$c" "$dir/examples" <<'PY'
import os, subprocess, sys
for line in open(sys.argv[2]):
    command = line.rstrip('\n').replace('\0', '\n')
    what = f' - man page {sys.argv[1]}: ' + command.split('\n')[0].rstrip('\\ ')
    if './app' in command and not os.environ['programs']:
        print('ok' + what + ' # SKIP CUDA programs do not run here')
        continue
    ran = subprocess.run(['bash', '-e', '-c', command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    ok = ran.returncode == 0
    print(('ok' if ok else 'not ok') + what)
    if not ok: print(ran.returncode, ran.stderr, file=sys.stderr)
PY
done
[ "$(reprise run -q --module sum.ptx --grid 8 --block 256 --arg buf=iota-i32:2048 --arg buf=zeros:4 --print 1=i32 | tail -1)" = "  [0] $((2047 * 1024))" ] &&
    echo "ok - the sum of the example is right" || echo "not ok - the sum of the example is right"
cd "$root" || exit 1

# ---- docs/pandas.md ------------------------------------------------------------------------------------------------
cp "$dir/man/matmul.ptx" "$dir/pandas"
python=
for p in python3 /usr/bin/python3; do
    [ -z "$python" ] && $p -c 'import pandas, numpy' 2>/dev/null && python=$p
done
python3 - docs/pandas.md "$dir/pandas" "$python" <<'PY'
import re, subprocess, sys
page, folder, python = open(sys.argv[1]).read(), sys.argv[2], sys.argv[3]
for block in re.findall(r'^```\n(reprise .*?)^```', page, re.S | re.M):
    ran = subprocess.run(['bash', '-e', '-c', block], cwd=folder)
    print(('ok' if ran.returncode == 0 else 'not ok') + ' - docs/pandas.md: its commands run')
code = '\n'.join(re.findall(r'^```python\n(.*?)^```', page, re.S | re.M))
if not python:
    print('ok - docs/pandas.md: its Python # SKIP no pandas here')
    sys.exit()
check = '''
assert list(table.columns) == ["gto", "lrr", "serial"] and list(table.index) == [1, 2, 3, 4] and table.notna().all().all()
assert len(variants) == 24 and fastest.cycles == variants.cycles.min()
assert launches["cycles"][0] == variants[(variants.l1 == "direct-mapped") & (variants.scheduler == "gto") & (variants.sms == 2)].cycles.iloc[0]
assert stalls.sum() == sum(v for k, v in launches.iloc[0].items() if k.startswith("issue.stall."))
assert c.dtype == np.float32 and np.isfinite(c).all() and c.any()
assert len(frame) == 8 and frame.cycles.min() == variants[variants.scheduler == "gto"].cycles.min() and len(every) == 2
'''
ran = subprocess.run([python, '-c', code + check], cwd=folder, stderr=subprocess.PIPE, text=True, stdout=subprocess.DEVNULL)
print(('ok' if ran.returncode == 0 else 'not ok') + ' - docs/pandas.md: its Python runs, and its figures agree')
print(ran.stderr, file=sys.stderr)
PY

# ---- docs/sweep.md ---------------------------------------------------------------------------------------------------
mkdir "$dir/sweep"
reprise record -q -o "$dir/sweep/mm.wtr" --module "$dir/pandas/matmul.ptx" --kernel matmul --grid 4x4 --block 16x16 \
    --arg buf=rand-f32:4K:seed=1 --arg buf=rand-f32:4K:seed=2 --arg buf=zeros:16K --arg i32=64
python3 - docs/sweep.md "$dir/sweep" "$python" <<'PY'
import re, sqlite3, subprocess, sys
page, folder, python = open(sys.argv[1]).read(), sys.argv[2], sys.argv[3]
def report(ok, what):
    print(('ok' if ok else 'not ok') + ' - docs/sweep.md: ' + what)
commands = re.search(r'(?:^    reprise .*\n)+', page, re.M).group()
ran = subprocess.run(['bash', '-e', '-c', commands], cwd=folder, stdout=subprocess.DEVNULL)
report(ran.returncode == 0 and commands.count('\n') == 5, 'its first commands run')
db = sqlite3.connect(folder + '/r.db')
tables = {n: [c[1] for c in db.execute(f'PRAGMA table_info({n})')] for n, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
said = {n: re.findall(r'`(\w+)`', re.sub(r'\([^)]*\)', '', columns)) for n, columns in re.findall(r'^\| `(\w+)` \| [^|]* \| (`[^|]*) \|$', page, re.M)}
report(tables == said and len(said) == 15, 'its tables are those of a database')
if tables != said: print({n: (tables.get(n), said.get(n)) for n in tables | said if tables.get(n) != said.get(n)}, file=sys.stderr)
columns = [c[1] for c in db.execute('PRAGMA table_info(runs)')]
view = re.findall(r'`(\w+)`', re.search(r'a row for each run: (.*?), a column', page, re.S).group(1))
report(set(view) == set(columns[:len(view)]), 'so are the columns of its view')
report(db.execute('PRAGMA user_version').fetchone() == (3,) and db.execute('PRAGMA application_id').fetchone() == (0x52505253,), 'so are its numbers')
code = '\n'.join(re.findall(r'^```python\n(.*?)^```', page, re.S | re.M))
if not python:
    print('ok - docs/sweep.md: its Python # SKIP no pandas here')
    sys.exit()
check = """
assert list(table.columns) == ["gto", "lrr"] and list(table.index) == [8192, 16384, 32768] and table.notna().all().all()
assert lines.to_numpy().sum() == db.execute("SELECT sum(cycles) FROM stall JOIN instruction i ON i.id = instruction WHERE line").fetchone()[0]
assert len(areas) == 1 and areas.area.isna().all() and areas.cycles[0] == runs.cycles.min()
assert runs.cycles.min() == db.execute('SELECT min(value) FROM value JOIN statistic ON id = statistic WHERE name = "cycles"').fetchone()[0]
"""
ran = subprocess.run([python, '-c', code + check], cwd=folder, stderr=subprocess.PIPE, text=True, stdout=subprocess.DEVNULL)
report(ran.returncode == 0, 'its Python runs, and its figures agree')
print(ran.stderr, file=sys.stderr)
PY

# ---- docs/ptx.md: what make bench-approximations runs makes its table of approximations; here of few arguments ---------------------------------
"$BUILD/bench/approximations" 1/65536 >"$dir/approximations" 2>"$dir/err"
python3 - $? docs/ptx.md "$dir/approximations" <<'PY'
import re, sys
status, page, printed = int(sys.argv[1]), open(sys.argv[2]).read(), open(sys.argv[3]).read()
table = re.search(r'^## Approximations\n.*?\n(\|.*?)\n\n', page, re.S | re.M).group(1).splitlines()[2:]
names = {name for row in table for name in re.findall(r'`(\w+)`', row.split('|')[1])}
lines = re.findall(r'^(\w+)\.approx(\.ftz)?\.f32 +\w+ error .* at most 2\^-(\d+\.\d+) .*bound 2\^-', printed, re.M)
ok = status == 0 and len(names) == 8 and len(lines) == 21 and {l[0] for l in lines} == names
print(('ok' if ok else 'not ok') + ' - make bench-approximations PART=... makes the table of docs/ptx.md')
print(status, names, printed, file=sys.stderr)
PY

# ---- docs/troubleshooting.md: every message is one of ours ------------------------------------------------------------
python3 - docs/troubleshooting.md <<'PY'
import pathlib, re, sys
sources = ''.join(p.read_text() for folder in ('tools', 'frontend', 'replay', 'tracefmt') for p in pathlib.Path(folder).rglob('*.[ch]'))
sources = re.sub(r'"\s*"', '', sources)
sources = re.sub(r'%[-.0-9]*(?:ll|z)?[a-z]|"\s*PRI\w+\s*"|%"', '...', sources)
messages = [m for row in re.findall(r'^\| ([^|]*`[^|]*) \|', open(sys.argv[1]).read(), re.M) for m in re.findall(r'`([^`]*)`', row)]
parts = [part.strip() for m in messages for part in re.split(r"\.\.\.|'\.\.\.'|\bN\b", m) if len(part.strip(" ':;,")) > 6]
missing = [p for p in parts if p.strip("' :;,") not in sources and not p.startswith(('cuda', 'returned cuda', 'No space'))]
print(('not ok' if missing or len(messages) < 20 else 'ok') + f' - docs/troubleshooting.md: its {len(messages)} messages are those of the sources')
print(missing, file=sys.stderr)
PY

# ---- contents of pages: every page of five sections or more lists them, and links within pages lead somewhere --------------
python3 - <<'PY'
import pathlib, re, sys
def anchor(heading):
    return re.sub(r'[^\w\s-]', '', re.sub(r'\]\([^)]*\)', ']', heading).lower().replace('`', '')).strip().replace(' ', '-')
pages = {p: re.sub(r'^```.*?^```$', '', p.read_text(), flags=re.S | re.M) for p in [pathlib.Path('README.md'), *pathlib.Path('docs').glob('*.md')]}
anchors = {p.resolve(): {anchor(h) for h in re.findall(r'^#+ (.*)$', text, re.M)} for p, text in pages.items()}
bad = []
for page, text in pages.items():
    for path, part in re.findall(r'\]\(([^)#:]*)#([^)]*)\)', text):
        at = (page.parent / path).resolve() if path else page.resolve()
        if at in anchors and part not in anchors[at]:
            bad.append(f'{page}: {path}#{part}')
    heads = re.findall(r'^## (.*)$', text, re.M)
    if len(heads) >= 5 and page.name not in ('index.md', 'glossary.md') and not all(f'](#{anchor(h)})' in text for h in heads):
        bad.append(f'{page}: contents')
print(('not ok' if bad else 'ok') + ' - pages list their sections, and links within them lead somewhere')
print(*bad, sep='\n', file=sys.stderr)
PY

# ---- where make install puts the pages, links between them lead somewhere, too ---------------------------------------------
broken=$(cd "$dir/usr/share/doc/reprise" && python3 - <<'PY'
import pathlib, re
for page in sorted(pathlib.Path().glob('*.md')):
    text = re.sub(r'^```.*?^```$|`[^`\n]*`', '', page.read_text(), flags=re.S | re.M)
    for path in re.findall(r'\]\(([^)#:]+)(?:#[^)]*)?\)', text):
        if not pathlib.Path(path).exists():
            print(f'{page}: {path}')
PY
)
is "links between installed pages lead somewhere" "$broken" ""
