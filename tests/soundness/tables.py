"""Markdown of docs/validation.md's tables from the JSON that tables.sh leaves, beside the figures of the ECRTS 2025 paper."""
import glob, json, math, os, sys

folder = sys.argv[1]
LATENCIES = [400, 200, 100, 50, 25, 10, 5]
TABLE3 = {  # mean, max, weighted mean, standard deviation of GUB's overestimation (paper, Table 3)
    (400, "lrr"): (8.21, 33.45, 11.35, 4.73), (400, "gto"): (10.68, 34.84, 13.87, 3.66),
    (200, "lrr"): (12.31, 40.34, 16.83, 6.07), (200, "gto"): (15.37, 40.06, 20.16, 5.31),
    (100, "lrr"): (16.70, 44.97, 22.44, 6.96), (100, "gto"): (19.83, 44.37, 26.21, 7.89),
    (50, "lrr"): (19.97, 69.83, 26.05, 7.88), (50, "gto"): (25.56, 70.56, 31.52, 9.16),
    (25, "lrr"): (21.81, 72.47, 26.84, 8.32), (25, "gto"): (27.88, 60.12, 31.83, 8.26),
    (10, "lrr"): (23.46, 49.77, 27.86, 8.58), (10, "gto"): (29.32, 46.36, 31.96, 7.58),
    (5, "lrr"): (26.00, 46.38, 28.17, 6.81), (5, "gto"): (27.04, 46.67, 30.82, 5.91),
}
TABLE4 = {  # 32, 16, 8, 4 warps (paper, Table 4)
    "naive": {400: (5.96, 8.67, 11.84, 9.36), 200: (6.57, 10.29, 15.56, 13.49), 100: (6.93, 11.36, 18.47, 17.32),
              50: (7.11, 11.97, 20.37, 20.18), 25: (7.00, 12.31, 21.45, 22.00), 10: (6.16, 12.06, 22.04, 23.24),
              5: (5.87, 11.50, 22.03, 23.69)},
    "double": {400: (11.15, 19.19, 33.08, 58.21), 200: (8.51, 14.12, 23.37, 40.40), 100: (8.44, 14.11, 23.57, 41.08),
               50: (8.39, 14.06, 23.65, 41.42), 25: (8.35, 14.01, 23.59, 41.54), 10: (8.33, 13.98, 23.57, 41.59),
               5: (8.32, 13.97, 23.59, 41.60)},
}


def rows(name):
    return json.load(open(f"{folder}/{name}.json"))["rows"]


def find(table, latency, policy, bound):
    return next(r for r in table if (int(r["value"]), r["policy"], r["bound"]) == (latency, policy, bound))


def four(r):
    return tuple(r[k] for k in ("mean", "greatest", "weighted_mean", "deviation"))


def percent(values):
    return " | ".join(f"{v:.2f}" for v in values)


table = rows("table3")
print("| latency | policy | bound | mean % | max % | weighted mean % | std. dev. % |\n|--:|---|---|--:|--:|--:|--:|")
for latency in LATENCIES:
    for policy in ("lrr", "gto"):
        print(f"| {latency} | {policy} | paper, GUB | {percent(TABLE3[latency, policy])} |")
        for bound in ("gub", "serial", "unit"):
            print(f"| {latency} | {policy} | {bound} | {percent(four(find(table, latency, policy, bound)))} |")

print("\nSGEMM, overestimation of GUB and, in brackets, of the unit-aware bound over gto, in per cent:\n")
print("| | latency | 32 warps | paper | 16 warps | paper | 8 warps | paper | 4 warps | paper |\n|---|" + "--:|" * 9)
for kind in ("naive", "double"):
    for latency in LATENCIES:
        cells = []
        for i, warps in enumerate((32, 16, 8, 4)):
            here = rows(f"{kind}-{warps}")
            gub, unit = (find(here, latency, "gto", b)["mean"] for b in ("gub", "unit"))
            cells.append(f"{gub:.2f} ({unit:.2f}) | {TABLE4[kind][latency][i]:.2f}")
        print(f"| {kind} | {latency} | " + " | ".join(cells) + " |")


def launch(path):
    return json.load(open(path))["traces"][0]["launches"][0]


def over(cycles, replay):
    return 100 * (cycles / replay - 1)


def crowds(warps):
    """By launch: what no bound is below that charges a warp for each of the others (docs/wcet-proofs.md, Theorem 6), if it
    holds for so many warps."""
    least = {}
    for line in open(f"{folder}/crowd-{warps}.txt"):
        path, number, cycles = line.split()
        least[f"{os.path.basename(path)[:-len('.wtr')]}-{number}"] = math.ceil(float(cycles))
    return least


def pessimism():
    """Launch by launch: replays, what searches found, and the bounds."""
    least, fitting = crowds(256), crowds(48)
    for path in sorted(glob.glob(f"{folder}/*-attack.json")):
        name = os.path.basename(path)[:-len("-attack.json")]
        if not os.path.exists(f"{folder}/{name}-opaque.json"):
            continue
        here, opaque, theorems = (launch(f"{folder}/{name}-{what}.json") for what in ("attack", "opaque", "theorems"))
        assert here["gub"] == opaque["gub"] >= opaque["attack"]["longest"], name
        assert here["attack"]["longest"] <= here["unit_bound"], name
        assert fitting[name] <= least[name] <= theorems["unit_bound"] >= here["unit_bound"], name
        worst = max(here["attack"]["longest"], *here["replay"].values())
        yield (name.rsplit("-", 1)[0], here["replay"]["lrr"], here["replay"]["gto"], worst, opaque["attack"]["longest"],
               least[name], here["gub"], theorems["unit_bound"], here["unit_bound"], here["exact"] is not None,
               fitting[name])


print("\nWhere the pessimism comes from; cycles at latency 200, of all launches of a kernel:\n")
print("| kernel | launches | gto | lrr | longest found | longest found, opaque | least, warp by warp | gub | Theorems 1–3 | unit | of these exact |\n|---|" + "--:|" * 10)
launches = list(pessimism())
for kernel in sorted({l[0] for l in launches}):
    own = [l for l in launches if l[0] == kernel]
    lrr, gto, *rest = (sum(column) for column in list(zip(*own))[1:10])
    print(f"| {kernel} | {len(own)} | {gto} | {lrr} | " + " | ".join(str(x) for x in rest) + " |")
for policy, column in (("gto", 2), ("lrr", 1)):
    means = [sum(over(l[i], l[column]) for l in launches) / len(launches) for i in (3, 4, 5, 6, 7, 8)]
    print(f"| mean over {policy}, % | {len(launches)} | | | " + " | ".join(f"{m:.2f}" for m in means) + f" | {sum(l[9] for l in launches)} |")

gto, lrr = (sum(over(l[10], l[column]) for l in launches) / len(launches) for column in (2, 1))
print(f"\nLeast, warp by warp, with crowds of 48 warps, as many as the machine has room for: {gto:.2f} % over gto, {lrr:.2f} % over lrr")

print("\nThe longest of 100 schedules at latency 200, in cycles:\n")
print("| | warps | gto | lrr | longest found | of unit-aware | by | unit-aware | GUB |\n|---|--:|--:|--:|--:|--:|---|--:|--:|")
for kind in ("naive", "double"):
    for warps in (32, 16, 8, 4):
        l = launch(f"{folder}/{kind}-{warps}-attack.json")
        a = l["attack"]
        print(f"| {kind} | {warps} | {l['replay']['gto']} | {l['replay']['lrr']} | {a['longest']} | "
              f"{a['per_cent_of_unit_bound']:.1f} % | `{a['schedule']}` | {l['unit_bound']} | {l['gub']} |")
