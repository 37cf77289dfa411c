// The report of a sweep.

function facts(list) {
  return h("dl", { class: "facts" }, list.filter(Boolean).map(([name, value, more]) => h("div", {}, h("dt", {}, name), h("dd", {}, value, more ? h("small", {}, more) : null))));
}

function sweepFacts(runs, state) {
  const data = runs.data, role = data.roles[state.trace], value = runs.value(data.value.name), some = runs.of(state.trace), varied = runs.varied(some), leading = runs.leading(some);
  const base = value(role.baseline), best = value(role.best), name = data.value.name;
  const ratio = base && best ? d3.format(".3f")(data.value.more ? best / base : base / best) + "×" : null;
  const known = (i, text) => name === "cycles" && runs.half(i) ? text + " ± " + figure(Math.round(runs.half(i))) : text;
  return facts([["Trace", baseName(data.traces[state.trace].file), wholeNumber(data.traces[state.trace].warp_instructions) + " warp instructions"], ["Runs", wholeNumber(runs.of(state.trace).length), plural(varied.length, "axis").replace("axiss", "axes")],
    ["Baseline: " + name, known(role.baseline, figure(base)), "run " + data.runs[role.baseline] + ": " + runs.label(role.baseline, leading)],
    ["Best: " + name, known(role.best, figure(best)), "run " + data.runs[role.best] + ": " + runs.label(role.best, leading)],
    ratio ? [name === "cycles" ? "Speedup" : data.value.more ? "Best by baseline" : "Baseline by best", ratio] : null]);
}

// How runs are known, where some are estimates.
function estimatesNote(runs, state) {
  const some = runs.of(state.trace), estimates = some.filter((i) => runs.half(i) || !runs.exact(i)), wider = runs.data.wider || [];
  if (!estimates.length) return null;
  const wide = wider.filter((i) => runs.data.trace_of[i] === state.trace).length, exact = some.filter(runs.exact);
  const competes = runs.axis("method") && exact.length ? " They do not compete with the exact ones, among which are the best run and the Pareto front." : "";
  return h("p", { class: "note" }, plural(estimates.length, "run") + (estimates.length > 1 ? " are estimates" : " is an estimate") + "; ± is half the width of the interval of the cycles." +
    (wide ? " In " + wholeNumber(wide) + " it is wider than was asked for." : "") + competes);
}

// One line for each trace, where there are several.
function tracesSection(page, runs) {
  const data = runs.data, value = runs.value(data.value.name);
  if (data.traces.length < 2) return;
  addSection(page, "traces", "Traces", (body) => {
    const ratios = data.roles.map((r) => value(r.best) / value(r.baseline)), usable = ratios.filter((r) => r > 0 && Number.isFinite(r));
    body.append(h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, h("th", {}, "trace"), ["runs", "baseline", "best", "ratio"].map((t) => h("th", { class: "number" }, t)), h("th", {}, "best run"))),
      h("tbody", {}, data.traces.map((t, n) => h("tr", {}, h("td", { class: "wide" }, t.file), h("td", { class: "number" }, wholeNumber(runs.of(n).length)),
        h("td", { class: "number" }, figure(value(data.roles[n].baseline))), h("td", { class: "number" }, figure(value(data.roles[n].best))),
        h("td", { class: "number" }, Number.isFinite(ratios[n]) ? d3.format(".3f")(ratios[n]) : "–"), h("td", {}, runs.label(data.roles[n].best, runs.leading(runs.of(n))))))))),
      usable.length === ratios.length ? h("p", { class: "soft" }, "Geometric mean of the ratios of " + data.value.name + ": " + d3.format(".4f")(Math.exp(d3.mean(ratios, Math.log))) + ".") : "");
  });
}

function missingSection(page, data) {
  if (!data.failed.length && !data.refused.length) return;
  addSection(page, "missing", "Runs that are not there", (body) => {
    const count = data.refused.length ? data.refused[0].all_of_them : 0;
    const table = (heads, rows) => h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, heads.map((t) => h("th", {}, t)))), h("tbody", {}, rows)));
    if (data.failed.length)
      body.append(h("p", {}, plural(data.counts.failed, "run") + " failed" + (data.counts.failed > data.failed.length ? "; the first " + data.failed.length + ":" : ":")),
        table(["run", "trace", "machine", "reason"], data.failed.map((r) => h("tr", {}, h("td", {}, r.run), h("td", {}, r.trace), h("td", {}, r.machine), h("td", { class: "wide" }, r.reason)))));
    if (count)
      body.append(h("p", {}, plural(count, "combination") + " of values cannot be" + (count > data.refused.length ? "; the first " + data.refused.length + ":" : ":")),
        table(["machine", "values", "reason"], data.refused.map((r) => h("tr", {}, h("td", {}, r.machine), h("td", { class: "wide" }, r.settings), h("td", { class: "wide" }, r.reason)))));
  });
}

function showSweep(page, data) {
  const runs = makeRuns(data), value = runs.columns.has(data.value.name) ? data.value.name : "cycles";
  const state = { trace: 0, axis: { value, mode: "fixed" }, heat: { value, mode: "fixed" }, stalls: {} };
  page.main.append(h("h1", {}, "Sweep " + baseName(data.title)), h("p", { class: "soft" }, data.made.tool + ", " + data.made.date + ". " +
    data.machine_names.map((m) => m.name).join(", ") + "."));
  if (data.counts.shown < data.counts.done)
    page.main.append(h("p", { class: "note" }, "Of " + plural(data.counts.done, "run") + " the " + wholeNumber(data.counts.shown) + " best by " + data.value.name + " are in this report (--runs)."));
  if (data.left_out)
    page.main.append(h("p", { class: "note" }, wholeNumber(data.left_out) + " less common statistics are left out, so that the report stays small; reprise results has them."));
  const top = h("div");
  page.main.append(top, page.nav);
  state.refresh = (id) => page.refresh(id);
  const head = () => {
    top.replaceChildren();
    if (data.traces.length > 1)
      top.append(h("div", { class: "controls" }, select("Trace", data.traces.map((t, n) => [n, t.file]), state.trace, (n) => { state.trace = Number(n); head(); page.refresh(); })));
    top.append(sweepFacts(runs, state));
    const note = estimatesNote(runs, state);
    if (note) top.append(note);
  };
  head();
  tracesSection(page, runs);
  axisSection(page, runs, state);
  heatSection(page, runs, state);
  stallSection(page, runs, state);
  changesSection(page, runs, state);
  paretoSection(page, runs, state);
  rooflineSection(page, runs, state);
  tableSection(page, runs, state);
  missingSection(page, data);
  sweepProvenance(page, runs);
}
