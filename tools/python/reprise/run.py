"""Runs one launch of a kernel on arrays."""
import json
import os
import tempfile
from pathlib import Path
from typing import NamedTuple, Optional

import numpy

from .parameters import entries, scalar_bytes
from .program import KERNEL_FAULT, Error, KernelFault, call_program

_WARP = 32
_SCRATCH_POINTERS = 2  # Triton 3.5 adds a pointer to global scratch memory and one to the profiler's to each kernel


class Result(NamedTuple):
    arrays: list  # the content of each argument after the launch, in order; None for those that are no arrays
    trace: Optional[str]  # the trace's path; None without a trace
    report: dict  # the output of `reprise record --json`
    printed: str = ""  # what the kernel printed
    findings: list = []  # of `check`: dicts, as in the report


class _Code(NamedTuple):
    data: bytes
    ptx: Optional[str]  # its text, if it is PTX
    kernel: Optional[str]
    block: Optional[tuple]
    shared: int
    suffix: str
    from_triton: bool = False
    cluster: Optional[tuple] = None
    path: Optional[Path] = None  # of a file with this suffix, which messages name


def _read_code(kernel):
    """Takes what Triton compiled, PTX as text, a module as bytes, or a path to one."""
    asm = getattr(kernel, "asm", None)
    if asm is not None:
        meta = kernel.metadata
        for scratch in ("global_scratch_size", "profile_scratch_size"):
            if getattr(meta, scratch, 0):
                raise Error(f"the kernel needs scratch memory of Triton's runtime ({scratch}), which reprise has not")
        ptx = asm["ptx"]
        ctas = getattr(meta, "num_ctas", 1)
        return _Code(ptx.encode(), ptx, meta.name, (_WARP * meta.num_warps, 1, 1), meta.shared, ".ptx", True,
                     (ctas, 1, 1) if ctas != 1 else None)
    if isinstance(kernel, str) and "\n" in kernel:
        return _Code(kernel.encode(), kernel, None, None, 0, ".ptx")
    path = None
    if isinstance(kernel, (str, os.PathLike)):
        path = Path(kernel)
        try:
            data, suffix = path.read_bytes(), path.suffix
        except OSError as e:
            raise Error(f"{kernel}: {e.strerror}") from e
    elif isinstance(kernel, (bytes, bytearray)):
        data, suffix = bytes(kernel), ".bin"
    else:
        raise Error(f"a {type(kernel).__name__} is no kernel: give what Triton compiled, PTX, a cubin, or a path")
    text = data.decode(errors="replace") if data[:4] != b"\x7fELF" and b".entry" in data else None
    if text is not None and suffix != ".ptx":
        path, suffix = None, ".ptx"
    return _Code(data, text, None, None, 0, suffix, path=path)


def _choose_kernel(code, name):
    """The kernel's name and its parameters; None for what only reprise can read, as from cubins."""
    name = name or code.kernel
    if code.ptx is None:
        return name, None
    kernels = entries(code.ptx)
    if name is None:
        if len(kernels) != 1:
            raise Error(f"the module has {len(kernels)} kernels; say which one: name={' or '.join(map(repr, kernels))}")
        name = next(iter(kernels))
    if name not in kernels:
        raise Error(f"the module has no kernel {name!r}; it has {', '.join(map(repr, kernels)) or 'none'}")
    return name, kernels[name]


def _three(what, value):
    numbers = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if not 1 <= len(numbers) <= 3 or not all(isinstance(n, (int, numpy.integer)) and n > 0 for n in numbers):
        raise Error(f"{what}={value!r}: give one to three numbers above 0")
    return [int(n) for n in numbers] + [1] * (3 - len(numbers))


class _Buffers:
    """The arrays among the arguments. The same array given twice is one buffer."""

    def __init__(self, folder):
        self.folder, self.named = folder, []

    def add(self, array, where):
        """The argument that passes the array; a null pointer for one without elements."""
        if not array.nbytes:
            return "u64=0"
        for name, known, first in self.named:
            if known is array:
                return "buf=" + name
            if numpy.shares_memory(known, array):
                raise Error(f"{where} and {first} overlap: pass the whole array and an offset")
        name = where.replace("argument ", "arg")
        self.named.append((name, array, where))
        (self.folder / name).write_bytes(numpy.ascontiguousarray(array).tobytes())
        return "buf=" + name

    def result(self, array):
        if not array.nbytes:
            return array.copy()
        for name, known, _ in self.named:
            if known is array:
                return numpy.fromfile(self.folder / (name + ".out"), array.dtype).reshape(array.shape)
        raise AssertionError("an array that is no buffer")


def _fill_parameters(args, parameters, buffers):
    """The arguments in the syntax of a launch file."""
    if parameters is not None and len(args) != len(parameters):
        raise Error(f"the kernel has {len(parameters)} parameters, not {len(args)}")
    given = []
    for i, value in enumerate(args):
        where = f"argument {i}"
        if isinstance(value, numpy.ndarray):
            if parameters is not None and parameters[i].size != 8:
                raise Error(f"{where}: an array, but the parameter is a .{parameters[i].type}, no pointer")
            given.append(buffers.add(value, where))
        elif parameters is not None:
            given.append("bytes=" + scalar_bytes(value, parameters[i], where).hex())
        elif isinstance(value, (numpy.generic, bytes)):
            given.append("bytes=" + (value if isinstance(value, bytes) else value.tobytes()).hex())
        else:
            raise Error(f"{where}: machine code does not tell the types of parameters; give numpy.int32(...) or bytes")
    return given


def _quoted(text):
    return '"' + str(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _launch_file(buffers, name, grid, block, cluster, shared, given):
    contents = "".join(f"    {n} = {_quoted(f'file:{buffers.folder / n}')};\n" for n, _, _ in buffers.named)
    saves = "".join(f"    {n} = {_quoted(buffers.folder / (n + '.out'))};\n" for n, _, _ in buffers.named)
    kernel = f"kernel = {_quoted(name)}; " if name else ""
    values = ", ".join(map(_quoted, given))
    together = f"cluster = {cluster}; " if cluster else ""
    return (f"buffers = {{\n{contents}}};\nsave = {{\n{saves}}};\n"
            f"launches = ( {{ {kernel}grid = {grid}; block = {block}; {together}shared = {shared}; args = ( {values} ); }} );\n")


def run(kernel, grid, args, *, block=None, name=None, shared=None, cluster=None, trace=None, target=None, threads=0,
        limit=None, check=None) -> Result:
    """Runs a kernel once, and records it if `trace` says where to.

    kernel   what Triton compiled (its block and shared memory are known), PTX as text, a module as bytes, or a path
    grid     blocks: a number or up to three; of Triton's kernels programs, each of num_ctas blocks
    args     in the order of the kernel's parameters, without Triton's constexprs: arrays, numbers, numpy scalars, bytes.
             Arrays are copied: look for what the kernel stored in the result's `arrays`
    block    threads of a block; needed but for Triton's kernels
    name     the kernel's name, if the module has several
    shared   bytes of dynamic shared memory; Triton's kernels know theirs
    cluster  blocks of a cluster; Triton's kernels know theirs, and others may
    target   run PTX as for this target, such as "sm_75"
    threads  of the host; 0: one per CPU
    limit    instructions that a warp may execute
    check    what to look for beside faults: "all", or some of "memory", "init", "race", "sync" with commas or as a list;
             what is found is in the result's `findings`, and the kernel runs to its end

    Returns a Result. Raises KernelFault if the kernel misbehaved, Error for all else.
    """
    code = _read_code(kernel)
    name, parameters = _choose_kernel(code, name)
    if block is None and code.block is None:
        raise Error("give the threads of a block: block=256")
    with tempfile.TemporaryDirectory(prefix="reprise-") as folder:
        folder = Path(folder)
        buffers = _Buffers(folder)
        values = list(args)
        if code.from_triton:  # trailing pointers to scratch memory, which these kernels do not use, are null
            values += [0] * (len(parameters) - len(values) if len(parameters) <= len(values) + _SCRATCH_POINTERS else 0)
        given = _fill_parameters(values, parameters, buffers)
        module, launch = code.path or folder / ("module" + code.suffix), folder / "launch.cfg"
        if not code.path:
            module.write_bytes(code.data)
        shared = code.shared if shared is None else shared
        blocks = _three("grid", grid)
        if code.cluster and cluster is None:  # as Triton's launcher does
            blocks[0] *= code.cluster[0]
            cluster = code.cluster
        launch.write_text(_launch_file(buffers, name, blocks, _three("block", block or code.block),
                                       cluster and _three("cluster", cluster), shared, given))
        command = ["record", "--json", "--quiet", "--threads", str(threads), "--launch-file", str(launch), "--module", str(module)]
        command += ["--output", os.fspath(trace)] if trace else ["--no-trace"]
        command += ["--shared-limit", str(shared)] if shared > 49152 else []
        command += ["--target", target] if target else []
        command += ["--limit", str(limit)] if limit is not None else []
        command += ["--check", check if isinstance(check, str) else ",".join(check)] if check else []
        prints = folder / "printed"
        command += ["--kernel-output", str(prints)]
        report = json.loads(call_program(command, fine=(0, KERNEL_FAULT)))
        printed = prints.read_text(errors="replace") if prints.exists() else ""
        if "fault" in report:
            raise KernelFault(report["fault"], report, printed)
        arrays = [buffers.result(a) if isinstance(a, numpy.ndarray) else None for a in args]
        return Result(arrays, os.fspath(trace) if trace else None, report, printed, report.get("findings", []))
