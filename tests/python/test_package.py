"""The Python package on PTX and machine code: results, the trace, and what it says of bad input. TAP on standard output."""
import os
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

import numpy as np
import reprise

TYPES = """
.version 6.3
.target sm_62
.address_size 64
// out: the values of parameters of each size, as numbers of 64 bits
.visible .entry types(.param .u64 .ptr .global .align 8 out, .param .u8 a, .param .s16 b, .param .b16 h,
                      .param .f32 f, .param .f64 d, .param .align 4 .b8 s[12])
{
    .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .b16 %h<4>; .reg .f32 %f<4>; .reg .f64 %d<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u8 %rd2, [a];          st.global.u64 [%rd1], %rd2;
    ld.param.s16 %rd2, [b];         st.global.s64 [%rd1+8], %rd2;
    ld.param.b16 %h1, [h];          cvt.f32.f16 %f1, %h1; cvt.rni.s64.f32 %rd2, %f1; st.global.s64 [%rd1+16], %rd2;
    ld.param.f32 %f1, [f];          cvt.rni.s64.f32 %rd2, %f1; st.global.s64 [%rd1+24], %rd2;
    ld.param.f64 %d1, [d];          cvt.rni.s64.f64 %rd2, %d1; st.global.s64 [%rd1+32], %rd2;
    ld.param.s32 %rd2, [s+8];       st.global.s64 [%rd1+40], %rd2;
    ret;
}
"""
SCALE = """
.version 6.3
.target sm_62
.address_size 64
.visible .entry scale(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)
{
    .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .pred %p<2>;
    ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.f32 %f1, [a]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 ret;
    mul.wide.u32 %rd3, %r5, 4; add.s64 %rd1, %rd1, %rd3; add.s64 %rd2, %rd2, %rd3;
    ld.global.f32 %f2, [%rd1]; mul.f32 %f2, %f2, %f1; st.global.f32 [%rd2], %f2;
    ret;
}
.visible .entry nothing() { ret; }
"""
PRINTS = """
.version 7.0
.target sm_75
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .align 1 .b8 fmt[7] = {104, 105, 32, 37, 100, 10, 0}; // "hi %d\\n"
.visible .entry prints(.param .u64 .ptr .global .align 4 p, .param .u32 n) {
    .local .align 8 .b8 l[8]; .shared .b32 s; .reg .b64 %p, %f, %a; .reg .b32 %t, %r, %n; .reg .pred %q;
    ld.param.u64 %p, [p]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; st.local.u32 [l], %t;
    mov.u64 %f, fmt; cvta.global.u64 %f, %f; mov.u64 %a, l; cvta.local.u64 %a, %a;
    { .param .b64 x; .param .b64 y; .param .b32 z; st.param.b64 [x], %f; st.param.b64 [y], %a; call (z), vprintf, (x, y); }
    setp.eq.u32 %q, %n, 7; @%q st.global.u32 [%p+4000000], %t;
    setp.eq.u32 %q, %n, 8; @%q ld.shared.u32 %r, [s]; @%q add.u32 %n, %n, %r;
    st.global.u32 [%p], %n;
    ret;
}
"""


def scale(n=100, *, length=None, same=False, **more):
    x = np.arange(n, dtype=np.float32)
    y = x if same else np.zeros_like(x)
    return x, reprise.run(SCALE, 4, [x, y, 2.5, n if length is None else length], block=32, name="scale", **more)


def says(part, call, kind=reprise.Error):
    """The call must raise an error of this kind whose message has the part."""
    try:
        call()
    except kind as e:
        assert part in str(e), f"{e!s:.500} does not say {part!r}"
        return
    raise AssertionError(f"no error; expected {part!r}")


def test_arrays_come_back_and_what_was_given_stays(folder):
    x, result = scale()
    assert np.array_equal(result.arrays[1], x * np.float32(2.5)) and np.array_equal(result.arrays[0], x)
    assert result.arrays[2] is None and result.trace is None and result.report["launches"][0]["blocks"] == 4


def test_an_array_given_twice_is_one_buffer(folder):
    x, result = scale(same=True)
    assert np.array_equal(result.arrays[0], x * np.float32(2.5)) and np.array_equal(result.arrays[0], result.arrays[1])


def test_shapes_and_strides(folder):
    x = np.arange(200, dtype=np.float32).reshape(10, 20)[:, ::2]
    result = reprise.run(SCALE, 4, [x, np.zeros_like(x), 2.0, x.size], block=32, name="scale")
    assert result.arrays[1].shape == (10, 10) and np.array_equal(result.arrays[1], 2 * x)


def test_an_empty_array(folder):
    empty = np.zeros((0, 3), np.float32)
    assert reprise.run(SCALE, 1, [empty, empty.copy(), 1.0, 0], block=32, name="scale").arrays[0].shape == (0, 3)


def test_each_type_of_parameter(folder):
    out = np.zeros(6, np.int64)
    plain = [out, 200, -3, 7.0, 11.0, 13.0, np.arange(-3, 0, dtype=np.int32).tobytes()]
    numpy_scalars = [out, np.int64(200), np.int16(-3), np.float16(7), np.float64(11), np.float32(13), plain[6]]
    h = plain[:3] + [np.float16(7)] + plain[4:]
    for args in (h, numpy_scalars):
        got = reprise.run(TYPES, 1, args, block=1).arrays[0]
        assert list(got) == [200, -3, 7, 11, 13, -1], got


def test_the_trace_replays(folder):
    _, result = scale(trace=folder / "a.wtr")
    launches = [reprise.replay(result.trace, "jetson-tx2", settings=s)["launches"][0]
                for s in ({}, {"scheduler": "lrr", "dram.latency": 5000})]
    assert 0 < launches[0]["cycles"] < launches[1]["cycles"]


def test_a_module_from_a_file_and_from_bytes(folder):
    (folder / "scale.ptx").write_text(SCALE)
    for module in (folder / "scale.ptx", str(folder / "scale.ptx"), SCALE.encode()):
        assert reprise.run(module, 1, [], block=32, name="nothing").report["outcome"] == "complete"
    (folder / "bad.ptx").write_text("\n\nthis is no PTX .entry k() {\n")
    says(str(folder / "bad.ptx:3"), lambda: reprise.run(folder / "bad.ptx", 1, [], block=32))


def test_machine_code(folder):
    cubin = Path(os.environ["BUILD"]) / "cubin" / "vector_add.sm_62.O3.cubin"
    if not cubin.exists():
        return "no machine code here: make toolchain"
    a, b = np.arange(100, dtype=np.float32), np.ones(100, np.float32)
    result = reprise.run(cubin, 4, [a, b, np.zeros_like(a), np.int32(100)], block=32)
    assert np.array_equal(result.arrays[2], a + b)
    says("machine code", lambda: reprise.run(cubin, 4, [a, b, np.zeros_like(a), 100], block=32))


def test_a_fault_is_told_apart(folder):
    says("out of bounds", lambda: scale(length=128, trace=folder / "f.wtr"), reprise.KernelFault)
    assert (folder / "f.wtr").exists()


def test_what_a_kernel_prints(folder):
    result = reprise.run(PRINTS, 1, [np.zeros(4, np.int32), 1], block=2)
    assert result.printed == "hi 0\nhi 1\n" and result.findings == [] and result.arrays[0][0] == 1
    try:
        reprise.run(PRINTS, 1, [np.zeros(4, np.int32), 7], block=2)
        raise AssertionError("no fault")
    except reprise.KernelFault as e:
        assert str(e).startswith("kernel 'prints': ") and "out of bounds" in str(e).splitlines()[0], str(e)
        assert e.printed == "hi 0\nhi 1\n" and e.report["fault_place"]["source"][0]["line"] == 12, e.report


def test_findings(folder):
    for check in ("all", ["memory", "init"]):
        found = reprise.run(PRINTS, 1, [np.zeros(4, np.int32), 8], block=2, check=check).findings
        assert [(f["kind"], f["here"]["line"]) for f in found] == [("init", 13)], found
    found = reprise.run(PRINTS, 1, [np.zeros(4, np.int32), 7], block=2, check="memory").findings
    assert [(f["kind"], f["times"]) for f in found] == [("memory", 2)], found
    assert reprise.run(PRINTS, 1, [np.zeros(4, np.int32), 1], block=1, check="all").findings == []
    says("there is no check 'rain'", lambda: reprise.run(PRINTS, 1, [np.zeros(4, np.int32), 1], block=1, check="rain"))


def test_bad_input(folder):
    x = np.zeros(8, np.float32)
    run = reprise.run
    says("has 2 kernels", lambda: run(SCALE, 1, [], block=32))
    says("no kernel 'scales'", lambda: run(SCALE, 1, [], block=32, name="scales"))
    says("4 parameters, not 3", lambda: run(SCALE, 1, [x, x, 1.0], block=32, name="scale"))
    says("block=256", lambda: run(SCALE, 1, [], name="nothing"))
    says("grid=0", lambda: run(SCALE, 0, [], block=32, name="nothing"))
    says("no pointer", lambda: run(SCALE, 1, [x, x, x, 1], block=32, name="scale"))
    says("does not fit 32 bits", lambda: run(SCALE, 1, [x, x, 1.0, 1 << 32], block=32, name="scale"))
    says("for an integer", lambda: run(SCALE, 1, [x, x, 1.0, 1.0], block=32, name="scale"))
    says("overlap", lambda: run(SCALE, 1, [x, x[1:], 1.0, 1], block=32, name="scale"))
    says("cannot be passed", lambda: run(SCALE, 1, [x, x, None, 1], block=32, name="scale"))
    says("no kernel", lambda: run(17, 1, [], block=32))
    says("No such file", lambda: run(folder / "none.ptx", 1, [], block=32))
    says("module.ptx:3", lambda: run("\n\nthis is no PTX .entry k() {\n", 1, [], block=32))
    says("jetson", lambda: reprise.replay(scale(trace=folder / "b.wtr")[1].trace, "jetson-tx3"))
    says("sm_31", lambda: scale(target="sm_31"))


def test_launches_and_variants_as_tables(folder):
    trace = scale(trace=folder / "t.wtr")[1].trace
    rows = reprise.launches([trace, trace], "jetson-tx2", settings={"scheduler": "lrr"})
    one = reprise.replay(trace, "jetson-tx2", settings={"scheduler": "lrr"})["launches"][0]
    assert len(rows) == 2 and rows[0] == rows[1] and rows.columns[:4] == ["trace", "machine", "launch", "kernel"]
    assert (rows[0]["cycles"], rows[0]["l1.hits"], rows[0]["grid"]) == (one["cycles"], one["l1"]["hits"], 4)
    rows = reprise.diff(trace, "jetson-tx2", vary={"scheduler": ["gto", "serial"], "sms": "1..2"})
    assert [(r["scheduler"], r["sms"]) for r in rows] == [("gto", 1), ("gto", 2), ("serial", 1), ("serial", 2)] and rows[0]["ratio"] == 1
    rows = reprise.diff(trace, vary={"machine": ["orin", "rtx2060"]})
    assert [r["machine"] for r in rows] == ["orin", "rtx2060"]
    says("unknown machine", lambda: reprise.launches(trace, "no-such"))


def test_sweeps(folder):
    trace = scale(trace=folder / "t.wtr")[1].trace
    rows = reprise.sweep(trace, ["jetson-tx2", "orin"], folder / "r.db", vary={"scheduler": ["gto", "lrr"]})
    assert len(rows) == 4 and {r["cycles"] for r in rows} == {r["cycles"] for r in reprise.results(folder / "r.db")}
    assert reprise.results(folder / "r.db", "SELECT count(*) AS n FROM runs")[0] == {"n": 4}
    says("none.db: there is no such file", lambda: reprise.results(folder / "none.db"))
    says("t.wtr: file is not a database", lambda: reprise.results(trace))
    says("no such column: gone", lambda: reprise.results(folder / "r.db", "SELECT gone FROM runs"))


def test_frames(folder):
    rows = reprise.launches(scale(trace=folder / "t.wtr")[1].trace, "orin")
    try:
        import pandas
    except ImportError:
        says("pip install pandas", rows.frame)
        return "no pandas here: it is only named"
    frame = rows.frame()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == rows.columns and frame["cycles"][0] == rows[0]["cycles"]


def test_a_program_is_recorded(folder):
    program = Path(__file__).resolve().parents[1] / "cuda" / "prebuilt" / "vector_add"
    if os.uname().machine != "x86_64" or os.environ.get("ASAN_OPTIONS"):
        return "CUDA programs do not run here"
    trace = reprise.record([program], folder / "app.wtr", kernels="^vector", device="orin")
    assert reprise.launches(trace, "orin")[0]["kernel"] == "vector_add"


def test_a_program_that_fails(folder):
    program = Path(__file__).resolve().parents[1] / "cuda" / "prebuilt" / "vector_add"
    if os.uname().machine != "x86_64" or os.environ.get("ASAN_OPTIONS"):
        return "CUDA programs do not run here"
    trace, command = folder / "app.wtr", ["sh", "-c", f"{program}; echo why >&2; exit 7"]
    try:
        reprise.record(command, trace)
        raise AssertionError("no failure")
    except reprise.ProgramFailed as e:
        assert (e.status, e.trace, e.errors) == (7, str(trace), "why\n") and "ok vector add" in e.output, e
    assert len(reprise.launches(trace, "orin")) == 1
    assert reprise.record(command, trace, any_status=True) == str(trace)
    for wrong, text in ((["sh", "-c", "exit 7"], "sh ended with status 7, and nothing was recorded"), (["/nowhere/app"], "reprise: cannot run /nowhere/app")):
        says(text, lambda: reprise.record(wrong, trace, any_status=True))


def test_a_program_without_cuda_is_an_error(folder):
    if os.uname().machine != "x86_64" or os.environ.get("ASAN_OPTIONS"):
        return "CUDA programs do not run here"
    for before in (None, b"there before"):
        if before:
            (folder / "none.wtr").write_bytes(before)
        says("did nothing on a device", lambda: reprise.record(["true"], folder / "none.wtr"))
    says("a list of words", lambda: reprise.record("true", folder / "none.wtr"), TypeError)


def test_version(folder):
    done = subprocess.run([os.environ["REPRISE"], "--version"], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout.split()[:2] == ["reprise", reprise.__version__], done.stdout


def test_types_are_declared(folder):
    assert (Path(reprise.__file__).parent / "py.typed").exists()
    assert set(reprise.__all__) <= set(dir(reprise))


def test_no_program(folder):
    named = os.environ.pop("REPRISE")
    try:
        os.environ["REPRISE"] = str(folder / "nothing-here")
        says("cannot be started", scale)
    finally:
        os.environ["REPRISE"] = named


def main():
    failed = False
    for name, test in [(n, t) for n, t in globals().items() if n.startswith("test_")]:
        what = name[5:].replace("_", " ")
        with tempfile.TemporaryDirectory() as folder:
            try:
                skipped = test(Path(folder))
                print(f"ok - {what}" + (f" # SKIP {skipped}" if skipped else ""))
            except Exception:
                traceback.print_exc()
                print(f"not ok - {what}")
                failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
