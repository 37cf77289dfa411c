"""Reprise from Python: run a compiled Triton kernel, PTX or a cubin on the CPU, record its trace, replay its timing.

    import numpy, reprise
    x = numpy.arange(1000, dtype=numpy.float32)
    result = reprise.run(compiled, grid=(8,), args=[x, numpy.empty_like(x), 1000], trace="scale.wtr")
    print(result.arrays[1], reprise.replay(result.trace, "jetson-tx2")["launches"][0]["cycles"])
    print(reprise.diff(result.trace, "jetson-tx2", vary={"scheduler": ["gto", "lrr"]}).frame())  # pandas

The program `reprise` does the work: $REPRISE names it, else it is looked for on the PATH, else in this checkout's build.
"""
from .run import Result, run
from .program import Error, KernelFault, ProgramFailed
from .record import record
from .replay import replay
from .rows import Rows
from .tables import diff, launches, results, sweep
from .version import find_version

__version__ = find_version()
__all__ = ["Error", "KernelFault", "ProgramFailed", "Result", "Rows", "diff", "launches", "record", "replay", "results", "run",
           "sweep"]
