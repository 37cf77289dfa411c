"""What reprise timeline writes, read back, beside what replay and dump say of the same replay: timeline.sh calls it.

    timeline.py FOLDER MACHINE    FOLDER has all.pftrace, konata, konata-alone, replay.json, dump.BLOCK.WARP.json of launch 0, and the
                                  windows cycles.pftrace (100 to 299), blocks.pftrace (1 to 2), warps.pftrace
"""
import collections
import json
import re
import sys

sys.path.insert(0, "tests/support")
import perfetto  # noqa: E402

folder, machine = sys.argv[1:]


def check(what, fine, more=""):
    print(("ok - " if fine else "not ok - ") + machine + ": " + what)
    if not fine:
        print("  ", more, file=sys.stderr)


def is_(what, got, wanted):
    check(what, got == wanted, f"{got}, not {wanted}")


replay = json.load(open(folder + "/replay.json"))["traces"][0]
total, options = replay["total"], replay["machine"]["options"]
trace = perfetto.Trace(folder + "/all.pftrace")


def length(slices):
    return sum(s.end - s.begin for s in slices)


def under(prefix, depth):
    """Slices of threads whose names begin so, on tracks of this depth."""
    return [s for s in trace.slices if s.path[1].startswith(prefix) and len(s.path) == depth]


launches, blocks, warps = under("launches", 3), under("blocks", 3), under("blocks", 4)
busy = under("subcore", 2)
stalled = [s for s in under("subcore", 3) if s.path[2] == "stalls"]
units = [s for s in under("subcore", 3) if s.path[2] != "stalls"]

# ---- launches, blocks, instructions ----
is_("launches", sorted((int(re.match(r"launch (\d+): ", s.name)[1]), s.begin, s.end) for s in launches),
    [(l["launch"], l["begin"], l["end"]) for l in replay["launches"]])
is_("the last event ends with the replay", max([s.end for s in trace.slices] + [i.cycle for i in trace.instants]), total["cycles"])
is_("blocks", len(blocks), total["blocks"])
is_("each block once", len({(s.arguments["launch"], s.arguments["block"]) for s in blocks}), total["blocks"])
is_("instructions", len(warps), total["issue"]["issued"] + total["issue"]["dual"])


def on_slot(block):
    """The instructions of a block, by warp: on its slot, while it is there."""
    out = collections.defaultdict(list)
    for s in by_slot[block.path]:
        if block.begin <= s.begin and s.end <= block.end:
            out[int(s.path[3].split()[1])].append((s.begin, s.end, s.name))
    return out


by_slot = collections.defaultdict(list)
for s in warps:
    by_slot[s.path[:3]].append(s)
alone = perfetto.Trace(folder + "/alone.pftrace")  # launch 0, as dump replays it
by_slot_all, by_slot = by_slot, collections.defaultdict(list)
for s in alone.slices:
    if len(s.path) == 4:
        by_slot[s.path[:3]].append(s)
different, compared = [], 0
for block in (s for s in alone.slices if s.name == "block" and s.arguments["block"] in (0, 5, 15)):
    for warp, lives in on_slot(block).items():
        compared += 1
        dump = json.load(open(f"{folder}/dump.{block.arguments['block']}.{warp}.json"))["instructions"]
        if sorted(lives) != sorted((i["issue"], i["done"], i["text"]) for i in dump if i["issue"] is not None):
            different.append((block.arguments["block"], warp))
check("lives of instructions, warp by warp, as dump --cycles has them", compared == 12 and not different, (compared, different[:5]))

# ---- sub-cores and units ----
is_("cycles of issue: sub-cores are busy and do not stall", length(busy) - length(stalled), total["issue"]["issued"])
is_("a sub-core with warps is busy", length(busy), total["cycles"] * options["sms"] * options["subcores"] - total["issue"]["idle"])
stalls = collections.Counter()
for s in stalled:
    stalls[re.sub(r"^stall: ", "", s.name)] += s.end - s.begin
reasons = {k: v for k, v in total["issue"]["stall"].items() if k != "unit"}
is_("cycles of stalls, by reason",
    {r: sum(v for k, v in stalls.items() if k.split(",")[0] == r) for r in reasons}, reasons)
is_("and by unit", {u: stalls[f"unit, {u}"] for u in total["issue"]["stall"]["unit"]}, total["issue"]["stall"]["unit"])
is_("units", {u: length(s for s in units if s.path[2] == u) for u in total["units"]}, {u: c["busy"] for u, c in total["units"].items()})

# ---- memory ----
accesses = collections.Counter((i.path[0] == "memory") for i in trace.instants if "address" in i.arguments)
is_("accesses that end beyond an SM", accesses[True], total["l2"]["hits"] + total["l2"]["misses"])
commands = collections.Counter(i.name for i in trace.instants if i.path[1].startswith("channel"))
counters = total["dram"].get("counters", {})
reports = machine != "jetson-tx2"  # its model of device memory has no commands
for command in ("activate", "read", "write") if reports else ():
    is_(f"DRAM commands: {command}", commands[command], counters[command + "s"])
# a refresh that closes rows counts as precharges, too; those of an idle machine are counted, and no events
if reports:
    check("DRAM commands: no more than are counted",
          commands["precharge"] <= counters["precharges"] and commands["refresh"] <= counters.get("refreshes", 0))
rows = [s for s in trace.slices if s.name == "row open"]
is_("a row is open from each activation on", len(rows), commands["activate"])
for path in ("to_device", "to_host", "on_device"):
    copies = [s for s in trace.slices if s.path[1] == path]
    of = replay.get("copies", {}).get(path, {"count": 0, "bytes": 0, "cycles": 0})
    is_(f"copies {path}", (len(copies), sum(s.arguments["bytes"] for s in copies)), (of["count"], of["bytes"]))

# ---- what Perfetto wants ----
tracks = collections.defaultdict(list)
for s in trace.slices:
    tracks[s.path].append((s.begin, -s.end))
crossing = []
for path, spans in tracks.items():
    stack = []
    for begin, end in sorted(spans):
        while stack and stack[-1] <= begin:
            stack.pop()
        if stack and stack[-1] < -end:
            crossing.append((path, begin))
        stack.append(-end)
check("slices of a track are nested or apart", not crossing, crossing[:3])
check("and none is empty", all(s.begin < s.end for s in trace.slices))

# ---- windows ----
key = lambda s: (s.path, s.name, s.begin, s.end, tuple(s.arguments.items()))  # noqa: E731


def shown(events, inside):
    return collections.Counter((e.name, e.begin if hasattr(e, "begin") else e.cycle, e.end if hasattr(e, "end") else 0) for e in events if inside(e))


some = perfetto.Trace(folder + "/cycles.pftrace")
is_("a window of cycles: slices", shown(some.slices, lambda s: s.name != "busy"),
    shown(trace.slices, lambda s: s.name != "busy" and s.begin <= 299 and s.end > 100))
is_("a window of cycles: instants", shown(some.instants, lambda i: True), shown(trace.instants, lambda i: 100 <= i.cycle <= 299))
some = perfetto.Trace(folder + "/blocks.pftrace")
is_("a window of blocks", sorted((s.arguments["block"], s.begin) for s in some.slices if s.name == "block"),
    sorted((s.arguments["block"], s.begin) for s in blocks if 1 <= s.arguments["block"] <= 2))
wanted = collections.Counter()
for block in blocks:
    if 1 <= block.arguments["block"] <= 2:
        wanted += shown(by_slot_all[block.path], lambda s: block.begin <= s.begin and s.end <= block.end)
is_("and their instructions", shown(some.slices, lambda s: len(s.path) == 4), wanted)
is_("and nothing of caches and DRAM", (len(some.instants), [s for s in some.slices if s.path[1] == "launches"] != []), (0, True))
some = perfetto.Trace(folder + "/warps.pftrace")
is_("--tracks warps: instructions alone", (sorted(map(key, some.slices)), some.instants), (sorted(map(key, warps)), []))

# ---- Konata ----
lines = [line.rstrip("\n").split("\t") for line in open(folder + "/konata")]
is_("Konata: the header", lines[0], ["Kanata", "0004"])
now, lives, order, retired = 0, {}, [], 0
for line in lines[1:]:
    command, *rest = line
    if command == "C=":
        now = int(rest[0])
    elif command == "C":
        check("Konata: time passes", False) if int(rest[0]) < 1 else None
        now += int(rest[0])
    elif command == "I":
        order.append(int(rest[0]))
        lives[rest[0]] = {"issue": now, "thread": rest[2], "labels": {}, "stages": []}
    elif command == "L":
        lives[rest[0]]["labels"][rest[1]] = rest[2]
    elif command == "S":
        lives[rest[0]]["stages"].append((now, rest[2]))
    elif command == "R":
        lives[rest[0]]["done"] = now
        retired += rest[1:] == [str(retired), "0"]
    else:
        check("Konata: commands", False, line)
is_("Konata: instructions, in order", order, list(range(total["issue"]["issued"] + total["issue"]["dual"])))
is_("Konata: all retire, in order", retired, len(order))
is_("Konata: their cycles", collections.Counter((l["issue"], l["done"], l["labels"]["0"].split(": ", 1)[1]) for l in lives.values()),
    collections.Counter((s.begin, s.end, s.name) for s in warps))
dispatches = collections.Counter(s.begin for s in units)
check("Konata: execution begins when a unit takes it",
      all(l["stages"][-1][1] == "X" for l in lives.values()) and
      not dispatches - collections.Counter(l["stages"][-1][0] for l in lives.values()))
is_("Konata: where each warp is", len({l["labels"]["1"].split(", SM")[0] for l in lives.values() if "1" in l["labels"]}), total["warps"])
told, unknown = set(), 0
for number in order:
    life = lives[str(number)]
    told |= {life["thread"]} if "1" in life["labels"] else set()
    unknown += life["thread"] not in told
is_("Konata: and its first instruction says so", unknown, 0)
warp_texts, of_thread, threads = collections.defaultdict(list), {}, {}
for line in open(folder + "/konata-alone"):  # launch 0, as dump replays it
    command, *rest = line.rstrip("\n").split("\t")
    if command == "I":
        of_thread[rest[0]] = rest[2]
    elif command == "L" and rest[1] == "0":
        warp_texts[of_thread[rest[0]]].append(rest[2].split(": ", 1)[1])
    elif command == "L":
        threads[re.search(r"block (\d+), warp (\d+)", rest[2]).groups()] = of_thread[rest[0]]
wrong = []
for place in ((str(block), str(warp)) for block in (0, 5, 15) for warp in range(4)):
    dump = json.load(open(f"{folder}/dump.{place[0]}.{place[1]}.json"))["instructions"]
    if warp_texts[threads[place]] != [i["text"] for i in dump if i["issue"] is not None]:
        wrong.append(place)
is_("Konata: instructions of a warp are in the order in which it executes them", wrong, [])
