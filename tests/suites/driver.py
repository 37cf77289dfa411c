"""The driver's functions for scripts that `reprise run` runs."""
import ctypes
import os
import shutil
import sys

REPRISE = os.environ.get("REPRISE", "build/reprise")


def run_inside(device):
    """Starts this script again under `reprise run` on a device. Returns in the one that runs there."""
    if "REPRISE_SUITE" in os.environ:
        return
    if not shutil.which(REPRISE):
        sys.exit(f"{REPRISE} is not there: set REPRISE")
    os.environ["REPRISE_SUITE"] = "inside"
    os.execvp(REPRISE, [REPRISE, "run", "-q", "--device", device, "--", sys.executable, *sys.argv])


class Failed(Exception):
    pass


class Driver:
    """A context of its own for each module, so that a fault of one says nothing about the next."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(status, ctypes.byref(text))
            raise Failed(f"{name}: {(text.value or b'?').decode()}")

    def loaded(self, ptx):
        self.call("cuCtxCreate_v2", ctypes.byref(ctypes.c_void_p()), 0, 0)
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(ptx))
        return module

    def function(self, module, name):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def left(self):
        context = ctypes.c_void_p()
        self.cuda.cuCtxGetCurrent(ctypes.byref(context))
        if context:
            self.cuda.cuCtxDestroy_v2(context)

    def buffer(self, content):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(len(content)))
        self.call("cuMemcpyHtoD_v2", address, content, ctypes.c_size_t(len(content)))
        return address

    def output(self, ptx, name, given, size, threads):
        """The bytes that the kernel leaves in its last parameter's buffer."""
        function = self.function(self.loaded(ptx), name)
        result = self.buffer(bytes(size))
        buffers = [self.buffer(given) if given is not None else result, result]
        parameters = (ctypes.c_void_p * 2)(*[ctypes.addressof(b) for b in buffers])
        self.call("cuLaunchKernel", function, 1, 1, 1, threads, 1, 1, 1024, None, parameters, None)
        host = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", host, result, ctypes.c_size_t(size))
        return host.raw
