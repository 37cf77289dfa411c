#!/bin/bash
# No output option writes over an input of its command, or over a file that was named by mistake: sources, programs, and what
# other commands read. One table has all output options; another one has those of files that are read.
set -u
. tests/support/cli.sh
needs "$BUILD/kernels/vector_add.ptx"
python3 - "$r" "$work" "$BUILD/kernels/vector_add.ptx" <<'PY'
import lzma
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

reprise, work, ptx = sys.argv[1], Path(sys.argv[2]), sys.argv[3]


def report(fine, what, more=""):
    print(("ok - " if fine else "not ok - ") + what)
    if not fine:
        print(more, file=sys.stderr)


# ---- files that are there --------------------------------------------------------------------------------------------
KERNEL = "--module add.ptx --grid 1 --block 32 --arg buf=file:in.npy --arg buf=zeros:128 --arg buf=zeros:128 --arg i32=32"
CONFIGURATION = Path("tests/golden/gpgpusim/rtx2060.config").read_bytes()
LIST = Path("tests/golden/accelsim/m_empty_1w")


def run(words):
    return subprocess.run([reprise, *words.split()], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def make_inputs():
    shutil.copy(ptx, work / "add.ptx")
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (32,), }".ljust(117) + b"\n"
    (work / "in.npy").write_bytes(b"\x93NUMPY\1\0" + bytes([len(head), 0]) + head + bytes(128))
    (work / "gpu.config").write_bytes(CONFIGURATION)
    (work / "kernelslist.g").write_bytes((LIST / "kernelslist.g").read_bytes())
    (work / "kernel-1.traceg").write_bytes(lzma.decompress((LIST / "kernel-1.traceg.xz").read_bytes()))
    (work / "mine.cfg").write_text('base = "jetson-tx2";\n')
    (work / "launch.cfg").write_text('buffers = { A = "zeros:128"; };\nlaunches = ( { kernel = "vector_add"; grid = 1; block = 32; args = ( "buf=A", "buf=A", "buf=A", "i32=32" ); } );\n')
    (work / "plan.cfg").write_text('traces = [ "t.wtr" ];\nmachines = [ "orin" ];\n')
    (work / "kernel.cu").write_text("__global__ void kernel() {}\n")
    (work / "script.py").write_text("print(1)\n")
    (work / "known.txt").write_text("kind=leak kernel=none\n")
    shutil.copy("tests/golden/cubin/module.cubin", work / "module.cubin")
    for trace in ("t.wtr", "other.wtr"):
        assert run(f"record -q -o {trace} {KERNEL}").returncode == 0
    (work / "first.sass").write_bytes(run("disasm module.cubin --kernel first").stdout)
    (work / "module.sass").write_bytes(run("disasm module.cubin").stdout)
    assert run("sweep -q t.wtr -m orin --vary sms=1,2 -o results.db").returncode == 0
    assert run(f"run -q --check all --findings base.json {KERNEL}").returncode in (0, 3)
    shutil.copy("/bin/true", work / "program")


make_inputs()
NAMED_BY_MISTAKE = {"trace": "other.wtr", "cubin": "module.cubin", "PTX": "add.ptx", "CUDA source": "kernel.cu", "script": "script.py",
                    "machine": "mine.cfg", "launches": "launch.cfg", "plan": "plan.cfg", "assembly": "first.sass", "array": "in.npy",
                    "database": "results.db", "program": "program", "traced kernel": "kernel-1.traceg", "configuration": "gpu.config"}

# ---- the outputs: command and option, a command line, its inputs, the kinds that it writes -----------------------------
OUTPUTS = [
    ("record", "output", f"record -q -o OUT {KERNEL}", "add.ptx in.npy", "trace"),
    ("record", "output", "record -q -o OUT --module add.ptx --launch-file launch.cfg", "add.ptx launch.cfg", "trace"),
    ("record", "output", "record -q -o OUT -- ./program", "program", "trace"),
    ("record", "save", f"record -q -o new.wtr --save 2=OUT:f32 {KERNEL}", "add.ptx", "array"),
    ("record", "kernel-output", f"record -q -o new.wtr --kernel-output OUT {KERNEL}", "add.ptx in.npy", ""),
    ("record", "findings", f"record -q -o new.wtr --check all --format json --baseline base.json --findings OUT {KERNEL}", "add.ptx in.npy base.json", ""),
    ("record", "write-suppressions", f"record -q -o new.wtr --check all --suppressions known.txt --write-suppressions OUT {KERNEL}", "add.ptx known.txt", ""),
    ("record", "log-file", "record -q -o new.wtr --log-file OUT -- ./program", "program", ""),
    ("run", "save", f"run -q --save 2=OUT --expect 2=in.npy:f32 {KERNEL}", "add.ptx in.npy", "array"),
    ("run", "kernel-output", f"run -q --kernel-output OUT {KERNEL}", "add.ptx in.npy", ""),
    ("run", "findings", f"run -q --check all --format github --suppressions known.txt --findings OUT {KERNEL}", "add.ptx known.txt", ""),
    ("run", "write-suppressions", f"run -q --check all --baseline base.json --write-suppressions OUT {KERNEL}", "add.ptx base.json", ""),
    ("run", "log-file", "run -q --log-file OUT -- ./program", "program", ""),
    ("env", "output", "env -o OUT", "", "trace"),
    ("env", "log-file", "env --log-file OUT", "", ""),
    ("import", "output", "import accelsim -q kernelslist.g -o OUT", "kernelslist.g kernel-1.traceg", "trace"),
    ("import", "output", "import -q gpu.config -o OUT", "gpu.config", "machine"),
    ("export", "output", "export accelsim -q t.wtr -o OUT", "t.wtr", ""),
    ("replay", "save-machine", "replay -q t.wtr -m ./mine.cfg --save-machine OUT", "t.wtr mine.cfg", "machine"),
    ("timeline", "output", "timeline -q t.wtr -m ./mine.cfg -o OUT", "t.wtr mine.cfg", ""),
    ("sweep", "output", "sweep -q t.wtr -m orin --vary sms=1,2 -o OUT", "t.wtr", "database"),
    ("results", "output", "results merge results.db -o OUT", "", "database"),
    ("report", "output", "report -q t.wtr -m ./mine.cfg -o OUT", "t.wtr mine.cfg", ""),
    ("report", "output", "report -q results.db -o OUT", "results.db", ""),
    ("wcet", "phases", "wcet -q t.wtr -m orin-bound --assume all --phases OUT", "t.wtr", ""),
    ("wcet", "report", "wcet -q t.wtr -m orin-bound --assume all --report OUT", "t.wtr", ""),
    ("asm", "output", "asm first.sass -o OUT", "first.sass", "cubin"),
    ("asm", "output", "asm module.sass --into module.cubin -o OUT", "module.sass module.cubin", "cubin"),
]
kept = {name: (work / name).read_bytes() for name in {*NAMED_BY_MISTAKE.values(), *" ".join(o[3] for o in OUTPUTS).split()}}


def spares(line, target):
    """Whether the command refuses to write there, says so in a line with the file's name, and leaves it as it was."""
    done = run(line.replace("OUT", target))
    whole = (work / target).is_file() and (work / target).read_bytes() == kept[target]
    (work / target).write_bytes(kept[target])
    fine = done.returncode in (1, 2) and whole and not done.stdout and done.stderr.count(b"\n") == 1 and target.encode() in done.stderr
    return fine, f"status {done.returncode}, {'whole' if whole else 'CHANGED'}: {line.replace('OUT', target)}\n{done.stderr.decode()}"


for command, option, line, inputs, kinds in OUTPUTS:
    wrong = []
    for name in inputs.split():
        wrong += [more for fine, more in [spares(line, name)] if not fine]
    for kind, name in NAMED_BY_MISTAKE.items():
        if kind not in kinds.split() and name not in inputs.split():
            wrong += [more for fine, more in [spares(line, name)] if not fine]
    shown = re.sub(r" --module add\.ptx --grid.*", "", line)
    report(not wrong, f"'{shown}' spares its inputs and files that it does not write", "\n".join(wrong))
    (work / "new.wtr").unlink(missing_ok=True)

# ---- symbolic links are followed, and stay ------------------------------------------------------------------------------
shutil.copy(LIST / "kernel-1.traceg.xz", work)  # so that the import finds what its list names
UNLINKED = {"env", "export"}  # these write nothing by themselves, and a folder
for command, option, line, *_ in OUTPUTS:
    if command in UNLINKED:
        continue
    (work / "here").mkdir()
    (work / "link").symlink_to("here/also")
    (work / "here/also").symlink_to("file")  # which does not exist yet
    done = run(line.replace("OUT", "link"))
    whole = done.returncode in (0, 3) and (work / "link").is_symlink() and (work / "here/also").is_symlink()
    left = sorted(f.name for f in (work / "here").iterdir())
    shown = re.sub(r" --module add\.ptx --grid.*", "", line)
    nothing = "./program" in line  # it does nothing on a device, so that there is no trace
    report(whole and left in (["also", "file"], ["also"] if nothing else []), f"'{shown}' follows links", f"status {done.returncode}: {left}\n{done.stderr.decode()}")
    shutil.rmtree(work / "here")
    (work / "link").unlink()
    (work / "new.wtr").unlink(missing_ok=True)

# ---- only files take the place of files ---------------------------------------------------------------------------------
os.mkfifo(work / "pipe")
(work / "to_pipe").symlink_to("pipe")
(work / "stdout").symlink_to("/proc/self/fd/1")
(work / "third").symlink_to("/proc/self/fd/3")
(work / "gone").write_text("")
gone = os.open(work / "gone", os.O_WRONLY)
(work / "gone").unlink()
for name, why in ("pipe", "not a regular file"), ("to_pipe", "not a regular file"), ("stdout", "stdout or stderr go there"), ("third", "a file without a name"):
    for line in (f"record -q -o OUT {KERNEL}", f"run -q --save 2=OUT {KERNEL}", "record -q -o OUT -- ./program", "timeline -q t.wtr -m ./mine.cfg -o OUT"):
        with open(work / "printed", "wb") as printed:
            command = ["bash", "-c", f'exec 3>&{gone}; exec "$0" "$@"', reprise, *line.replace("OUT", name).split()]
            done = subprocess.run(command, cwd=work, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.PIPE, pass_fds=[gone])
        fine = done.returncode == 1 and why in done.stderr.decode() and not (work / "printed").stat().st_size
        fine &= (work / "stdout").is_symlink() and (work / "third").is_symlink() and (work / "pipe").is_fifo() and not list(work.glob(name + ".*"))
        report(fine, f"'{line.split(' --module')[0].replace('OUT', name)}': {why}", f"status {done.returncode}: {done.stderr.decode()}")

# ---- names that cannot be are refused before anything runs ------------------------------------------------------------
(work / "loop").symlink_to("loop")
(work / "to_folder").symlink_to("none/")
for name, why in (("x" * 300, b"File name too long"), ("loop", b"Too many levels of symbolic links"), ("none/", b"a name that ends in '/' is that of a folder"),
                  ("to_folder", b"a name that ends in '/' is that of a folder"), ("mine.cfg/new.wtr", b"Not a directory"), ("mine.cfg/", b"Not a directory"),
                  (".", b"not a regular file"), ("/dev/full", b"not a regular file"), ("none/new.wtr", b"No such file or directory")):
    done = run(f"record -q -o {name} -- /bin/echo started")
    report(done.returncode == 1 and not done.stdout and why in done.stderr, f"record -o {name[:9]}: {why.decode()}", done.stderr.decode())

# ---- logs and reports are written again, whatever source they show -----------------------------------------------------
for line in ("run -q --log-file OUT -- ./program", "wcet -q t.wtr -m orin-bound --assume all --report OUT", "wcet -q t.wtr -m orin-bound --assume all --phases OUT",
             f"run -q --kernel-output OUT {KERNEL}", f"run -q --check all --write-suppressions OUT {KERNEL}"):
    (work / "again.txt").write_text('#include <cstdio>\n__global__ void kernel()\nlaunches = 1\nbase = "orin"\n.version 8.0\n')
    done = run(line.replace("OUT", "again.txt"))
    report(done.returncode in (0, 3), f"'{line.split(' --module')[0]}' writes its file again", done.stderr.decode())

# ---- no option is forgotten --------------------------------------------------------------------------------------------
READ = {"module", "launch-file", "suppressions", "baseline", "guest", "measured", "into", "cache", "expect"}
listed = {(command, option) for command, option, *_ in OUTPUTS}
commands = re.findall(r"^  ([a-z]+) ", run("help").stdout.decode().split("Commands\n")[1].split("\n\n")[0], re.M)
found = set()
for command in commands:
    for option in re.findall(r"^ +(?:-\w, )?--([a-z-]+)(?:=|\[=)[^ \n]*(?:FILE|DB|TRACE|DIR|FOLDER)", run(f"help {command}").stdout.decode(), re.M):
        found |= {(command, option)} if option not in READ else set()
report(found == listed, "the table has all options that name a file to write", f"{sorted(found ^ listed)}")
PY
