// Cycles by what they went to: issues, stalls by reason, and idleness, as bars.

// The parts of a replay, of statistics by name: [{name, cycles}], in cycles of the machine. Chips of many cores have cores.cycles.* instead.
function partsOf(value, cycles) {
  const names = ["issue.issued", ...stallNames, "issue.idle"];
  const parts = names.map((name) => ({ name: partName(name), cycles: value(name) || 0 })), sum = d3.sum(parts, (p) => p.cycles);
  for (const p of parts) p.cycles = sum ? (p.cycles * cycles) / sum : 0;
  return parts.sort((a, b) => partNumber(a.name) - partNumber(b.name));
}

// A reason has the same fill in every chart; those of units follow in the order of their names.
const reasons = ["issue", "memory", "scoreboard", "control", "unit", "shared", "barrier", "drain", "fetch", "dispatch", "scheduler", "control-word",
  "async", "fence", "operands", "register-banks", "collector", "result-bus"];
const units = [];
function partName(name) {
  if (name === "issue.issued" || name === "cores.cycles.base") return "issue";
  return name.replace(/^(issue\.(stall\.)?|cores\.cycles\.)/, "");
}
function partNumber(name) {
  const i = reasons.indexOf(name);
  return name === "idle" ? 1000 : i >= 0 ? i : reasons.length + units.indexOf(name);
}
let stallNames = [];
function useStalls(names) {
  stallNames = names.filter((n) => n.startsWith("issue.stall.") || n.startsWith("cores.cycles."));
  for (const n of stallNames.map(partName)) if (n !== "idle" && !reasons.includes(n) && !units.includes(n)) units.push(n);
}
// Idleness is empty; every other part has its fill.
function partFill(name) { return name === "idle" ? -1 : partNumber(name); }

// Parts that are seen in no bar are left out of the legend.
function stackLegend(body, bars) {
  const longest = d3.max(bars, (b) => d3.sum(b.parts, (p) => p.cycles)) || 1;
  const seen = new Set(bars.flatMap((b) => b.parts.filter((p) => p.cycles > longest / 500).map((p) => p.name)));
  addLegend(body, [...seen].sort((a, b) => partNumber(a) - partNumber(b)).map((n) => ({ text: n, draw: fillMark(partFill(n)) })));
}

// bars: [{text, parts, note}]
function drawStack(svg, width, bars, label) {
  const narrow = isNarrow(width), size = 22, gap = narrow ? 20 : 6;
  const left = narrow ? 5 : Math.min(width * 0.42, 12 + widestLabel(bars)), right = 66;
  const top = narrow ? 18 : 4, bottom = 44, height = top + bars.length * (size + gap) + bottom;
  const x = d3.scaleLinear().domain([0, d3.max(bars, (b) => d3.sum(b.parts, (p) => p.cycles)) || 1]).range([left, width - right]);
  bottomAxis(svg, x, height - bottom, height - bottom - top, label, width - right, narrow ? 3 : 6);
  bars.forEach((bar, i) => {
    const y = top + i * (size + gap);
    let at = 0;
    svg.append("text").attr("class", "label").attr("x", narrow ? 0 : left - 8).attr("y", narrow ? y - 4 : y + 15).attr("text-anchor", narrow ? "start" : "end")
      .text(fitLabel(bar.text, narrow ? width : left - 10));
    for (const part of bar.parts) {
      if (!part.cycles) continue;
      fillRect(svg, partFill(part.name), x(at), y, x(at + part.cycles) - x(at), size)
        .append("title").text(bar.text + ": " + part.name + " " + figure(Math.round(part.cycles)));
      at += part.cycles;
    }
    svg.append("text").attr("class", "label").attr("x", x(at) + 5).attr("y", y + 15).text(bar.note);
  });
  return height;
}

const mostBars = 24;

function barOf(runs, i, text) {
  const cycles = runs.value("cycles")(i);
  return { text, parts: partsOf((n) => runs.columns.has(n) ? runs.columns.get(n).values[i] : 0, cycles), note: figure(cycles) };
}

function stallSection(page, runs, state) {
  useStalls(runs.data.statistics.map((s) => s.name));
  addSection(page, "stalls", "Where the cycles go", (body) => {
    const some = runs.of(state.trace), varied = runs.varied(some), role = runs.data.roles[state.trace], chosen = state.stalls;
    if (!stallNames.length) return false;
    const axis = varied.find((a) => a.name === chosen.by) || (some.length > mostBars ? chooseAxes(runs, runs.leading(some), some, role.best)[0] : null);
    const all = some.length <= mostBars ? [["", "each run"]] : [];
    body.append(h("div", { class: "controls" },
      select("Bars", [...all, ...varied.map((a) => [a.name, "each value of " + shortName(a.name)])], axis ? axis.name : "",
        (value) => { chosen.by = value; state.refresh("stalls"); })));
    const picked = axis ? pickRuns(runs, some, [axis], role.best, "fixed") : null;
    const list = axis ? [...picked.cells.values()].sort((a, b) => axis.of[a] - axis.of[b]) : some.slice().sort(runs.better);
    const names = axis ? [axis] : runs.leading(some);
    const bars = list.slice(0, mostBars).map((i) => barOf(runs, i, (runs.label(i, names) || "the run") + (i === role.best ? " (best)" : i === role.baseline ? " (baseline)" : "")));
    if (axis && !list.includes(role.baseline)) bars.unshift(barOf(runs, role.baseline, "baseline: " + runs.label(role.baseline, runs.leading(some))));
    stackLegend(body, bars);
    addFigure(body, "cycles by what they went to", (svg, width) => drawStack(svg, width, bars, "cycles"),
      "The cycles of a run, divided as the cycles of all its sub-cores are. " + (axis ? othersText(runs, picked, role.best) : "") +
        (list.length > mostBars ? " The first " + mostBars + " of " + list.length + " are shown." : ""));
  });
}
