// The runs of a sweep: accessors on the lists of the data.

function makeRuns(data) {
  const columns = new Map(data.statistics.map((s) => [s.name, s]));
  const axes = data.axes, all = d3.range(data.runs.length);
  const numeric = (axis) => axis.values.every((v) => v === null || typeof v === "number");
  const runs = { data, axes, columns, all, numeric };
  runs.of = (trace) => all.filter((i) => data.trace_of[i] === trace);
  runs.axis = (name) => axes.find((a) => a.name === name);
  // A number of a run: a statistic, or an axis with numbers.
  runs.value = (name) => {
    const column = columns.get(name), axis = runs.axis(name);
    if (column) return (i) => column.values[i];
    return axis ? (i) => axis.values[axis.of[i]] : null;
  };
  runs.unit = (name) => (columns.get(name) || runs.axis(name) || { unit: "" }).unit;
  // Whether a run is exact, where only some are: how it is known is an axis then.
  const method = axes.find((a) => a.name === "method");
  runs.exact = (i) => !method || method.values[method.of[i]] === "exact";
  // Those that compete with one another: the exact ones if there are any.
  runs.competing = (some) => some.some(runs.exact) ? some.filter(runs.exact) : some;
  // Half the width of the interval of a run's cycles; 0: they are exact.
  const halves = columns.get("cycles_half_width");
  runs.half = (i) => halves ? halves.values[i] : 0;
  runs.better = (a, b) => {
    if (runs.exact(a) !== runs.exact(b)) return runs.exact(a) ? -1 : 1;
    const value = runs.value(data.value.name), x = value(a), y = value(b);
    return data.value.more ? y - x : x - y;
  };
  // "2 runs on v100 are left out, as " + why, of those that are not among `shown`; "" where all are.
  runs.leftOut = (some, shown, why) => {
    const kept = new Set(shown), others = some.filter((i) => !kept.has(i)), machine = runs.axis("machine");
    const names = machine ? [...new Set(others.map((i) => machine.values[machine.of[i]]))] : [];
    const on = names.length ? " on " + names.slice(0, 3).join(", ") + (names.length > 3 ? " and " + (names.length - 3) + " more" : "") : "";
    return others.length ? plural(others.length, "run") + on + (others.length > 1 ? " are" : " is") + " left out, as " + why + "." : "";
  };
  // Axes along which these runs differ.
  runs.varied = (some) => axes.filter((a) => new Set(some.map((i) => a.of[i])).size > 1);
  // Whether, among these runs, each value of one axis goes with one value of another: 'subcores=1,2,4 with l1_subcores=1,2,2'.
  runs.follows = (some, axis, other) => {
    const goesWith = new Map();
    return some.every((i) => {
      if (!goesWith.has(axis.of[i])) goesWith.set(axis.of[i], other.of[i]);
      return goesWith.get(axis.of[i]) === other.of[i];
    });
  };
  // Those that say which run it is: less those that follow from one of them.
  runs.leading = (some) => runs.varied(some).reduce((list, a) => list.some((b) => runs.follows(some, b, a)) ? list : [...list, a], []);
  // "gto · l1.size 8K": what a run is, by the axes that are given.
  runs.label = (i, some) => some.map((a) => {
    const text = optionText(a.values[a.of[i]], a.unit);
    return typeof a.values[a.of[i]] === "string" ? text : shortName(a.name) + " " + text;
  }).join(" · ");
  return runs;
}

// One run for each combination of values of the given axes: with all other axes as in the best run where every combination
// has such a run, else the best over the others. {cells: Map of "1,2" to a run, fixed, others}
function pickRuns(runs, some, given, best, mode) {
  const key = (i) => given.map((a) => a.of[i]).join(","), others = runs.varied(some).filter((a) => !given.some((b) => a === b || runs.follows(some, b, a)));
  const wanted = new Set(some.map(key));
  const pick = (list) => {
    const cells = new Map();
    for (const i of list) {
      const k = key(i), there = cells.get(k);
      if (there === undefined || runs.better(i, there) < 0) cells.set(k, i);
    }
    return cells;
  };
  const cells = pick(some.filter((i) => others.every((a) => a.of[i] === a.of[best])));
  const fixed = mode !== "best" && cells.size === wanted.size;
  return { cells: fixed ? cells : pick(some), fixed, others };
}

function othersText(runs, picked, best) {
  if (!picked.others.length) return "";
  const what = picked.others.map((a) => shortName(a.name)).join(", ");
  return picked.fixed ? "All else is as in the best run: " + runs.label(best, picked.others) + "."
    : "Each point is the best run over " + what + ".";
}
