"""The parameters of a kernel, as its PTX declares them, and their values from Python."""
import re
import struct
from typing import NamedTuple

import numpy

from .program import Error


class Parameter(NamedTuple):
    type: str  # of PTX, without the dot: u64, f32, b8 ...
    size: int  # in bytes


_NAME = r"[a-zA-Z_$%][a-zA-Z0-9_$.]*"
_ENTRY = re.compile(r"\.entry\s+(" + _NAME + r")\s*(\(|\{|;|\.)")
_PARAMETER = re.compile(r"\.param\s+((?:\.\w+(?:\s+\d+)?\s+)*?)\.([usbf])(8|16|32|64|128)\s+((?:\.\w+(?:\s+\d+)?\s+)*)"
                        + _NAME + r"\s*(?:\[\s*(\d+)\s*\])?")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


def entries(ptx):
    """The kernels of a module: {name: [Parameter, ...]}."""
    found = {}
    text = _COMMENT.sub(" ", ptx)
    for entry in _ENTRY.finditer(text):
        parameters = []
        if entry.group(2) == "(":
            declared = text[entry.end():text.index(")", entry.end())]
            for p in _PARAMETER.finditer(declared):
                size = int(p.group(3)) // 8 * int(p.group(5) or 1)
                parameters.append(Parameter(p.group(2) + p.group(3), size))
        found[entry.group(1)] = parameters
    return found


def _float_bytes(value, size, where):
    try:
        return struct.pack({2: "<e", 4: "<f", 8: "<d"}[size], value)
    except KeyError:
        raise Error(f"{where}: a float does not fit a parameter of {size} bytes; give bytes") from None
    except OverflowError as e:
        raise Error(f"{where}: {value}: {e}") from e


def _integer_bytes(value, size, where):
    bits = 8 * size
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise Error(f"{where}: {value} does not fit {bits} bits")
    return (value % (1 << bits)).to_bytes(size, "little")


def scalar_bytes(value, parameter, where):
    """The bytes of a value that is no array. Bytes, and for .b parameters numpy scalars of the same size, are unchanged;
    other numbers are converted to the parameter's type. A .b parameter takes integers as integers and floats as floats."""
    if isinstance(value, numpy.generic):
        if value.nbytes == parameter.size and parameter.type[0] not in "usf":
            return value.tobytes()
        value = value.item()
    if isinstance(value, (bytes, bytearray)):
        if len(value) != parameter.size:
            raise Error(f"{where}: it has {len(value)} bytes, the kernel's parameter {parameter.size}")
        return bytes(value)
    if isinstance(value, float) and parameter.type[0] in "us":
        raise Error(f"{where}: {value} for an integer, .{parameter.type}")
    if isinstance(value, float) or (isinstance(value, int) and parameter.type[0] == "f"):
        return _float_bytes(value, parameter.size, where)
    if isinstance(value, int):
        return _integer_bytes(value, parameter.size, where)
    raise Error(f"{where}: a {type(value).__name__} cannot be passed; give an array, a number or bytes")
