// The report of bounds on execution times.

const boundNames = [["gub", "GUB", 2], ["serial_bound", "serial", 1], ["unit_bound", "unit-aware", 0]];
const mostLaunchesShown = 30, mostWarps = 64;

// What is known of a launch, the bounds first: [{name, value, kind}].
function marksOf(l) {
  const marks = boundNames.filter(([key]) => l[key] !== null).map(([key, name, kind]) => ({ name, value: l[key], kind }));
  if (l.exact) marks.push({ name: "exact worst case", value: l.exact, kind: 5 });
  if (l.attack) marks.push({ name: "longest schedule found", value: l.attack.longest, kind: 4 });
  Object.entries(l.replay).forEach(([name, value], i) => marks.push({ name: "replay: " + name, value, kind: 6, dash: i }));
  return marks;
}

function boundRows(l) {
  return marksOf(l).map((m) => ({ text: m.name, parts: [{ name: m.name, cycles: m.value, fill: m.kind }], note: figure(m.value) + (l.unit_bound ? "  (" + percent(m.value / l.unit_bound) + ")" : "") }));
}

// Bars from 0, a pattern for each kind.
function drawBars(svg, width, bars, label) {
  const narrow = isNarrow(width), size = 22, gap = narrow ? 20 : 6, top = narrow ? 18 : 4, bottom = 44, right = 150;
  const left = narrow ? 5 : 12 + widestLabel(bars), height = top + bars.length * (size + gap) + bottom;
  const x = d3.scaleLinear().domain([0, d3.max(bars, (b) => b.parts[0].cycles) || 1]).range([left, width - right]);
  bottomAxis(svg, x, height - bottom, height - bottom - top, label, width - right, narrow ? 3 : 6);
  bars.forEach((bar, i) => {
    const y = top + i * (size + gap), part = bar.parts[0];
    svg.append("text").attr("class", "label").attr("x", narrow ? 0 : left - 8).attr("y", narrow ? y - 4 : y + 15).attr("text-anchor", narrow ? "start" : "end").text(bar.text);
    fillRect(svg, part.fill, left, y, x(part.cycles) - left, size);
    svg.append("text").attr("class", "label").attr("x", x(part.cycles) + 5).attr("y", y + 15).text(bar.note);
  });
  return height;
}

// What the bounds of a trace are valid for, in words.
function validityText(v) {
  const relaxed = Object.entries(v.relaxed).map(([key, value]) => key + "=" + value);
  return "Bounds are valid for the path that each warp took in the trace, on machine " + v.machine + " as 'reprise replay' defines it. Other inputs may take other paths." +
    (v.assumptions.length ? " Beyond the paper, and proved in docs/wcet-proofs.md: " + v.assumptions.join(", ") + "." : "") +
    (relaxed.length ? " Relaxed, so that these are bounds of another machine: " + relaxed.join(" ") + "." : "");
}

// What a signal has left out, in words.
function stoppedText(s) {
  return "Partial: the analysis was stopped. Bounds are of " + wholeNumber(s.analysed) + " of " + wholeNumber(s.launches) + (s.launches === 1 ? " launch" : " launches") +
    (s.traces_left ? ", and " + plural(s.traces_left, "trace") + (s.traces_left === 1 ? " was" : " were") + " not begun" : "") + ".";
}

function boundsSection(page, trace, state) {
  addSection(page, "bounds", "Bounds beside replays", (body) => {
    const l = trace.launches[state.launch];
    addFigure(body, "bounds and replays", (svg, width) => drawBars(svg, width, boundRows(l), "cycles"),
      "Launch " + l.launch + " of " + l.kernel + "; shares are of the unit-aware bound. Serial and unit-aware are safe; GUB is the published bound and is not in every case (docs/wcet.md).");
    body.append(h("p", {}, validityText(trace.valid_for)));
  });
}

// Times of a phase count from the begin of its section, which begins when the last warp has ended the one before.
function sectionBegins(warps) {
  const lengths = [];
  for (const p of warps.flatMap((w) => w.phases)) lengths[p.section] = Math.max(lengths[p.section] || 0, p.start + p.duration);
  const begins = [0];
  for (let i = 0; i < lengths.length; i++) begins.push(begins[i] + (lengths[i] || 0));
  return begins;
}

function phasesSection(page, trace, state) {
  addSection(page, "phases", "Phases of warps", (body) => {
    const l = trace.launches[state.launch], warps = l.warps || [];
    if (!warps.length) return false;
    const blocks = [...new Set(warps.map((w) => w.block))], block = blocks.includes(state.block) ? state.block : blocks[0];
    if (blocks.length > 1) body.append(h("div", { class: "controls" }, select("Block", blocks.slice(0, 500).map((b) => [b, b]), block, (b) => { state.block = Number(b); page.refresh("phases"); })));
    let left = mostIntervals;
    const own = warps.filter((w) => w.block === block), shown = own.slice(0, mostWarps).filter((w) => (left -= w.phases.length) >= 0 || w === own[0]);
    const begins = sectionBegins(own), spanOf = (w, p) => {
      const from = begins[p.section] + p.start, to = from + p.duration;
      return { from, to, full: p.kind === "exec", title: "warp " + w.warp + ", section " + p.section + ", " + p.kind + ": " + figure(from) + " to " + figure(to) + (p.instructions ? ", " + plural(p.instructions, "instruction") : "") };
    };
    const rows = shown.map((w) => ({ text: "warp " + w.warp, spans: w.phases.slice(0, mostIntervals).map((p) => spanOf(w, p)) }));
    addLegend(body, [{ text: "exec: the warp may issue", draw: fillMark(0) }, { text: "idle: it waits for results", draw: (svg) => drawSpan(svg, false, 0, 1, 28, 12) }]);
    addFigure(body, "phases of warps", (svg, width) => drawGantt(svg, width, rows, "cycles, each warp alone", begins.slice(1, -1)),
      (blocks.length > 1 ? "Block " + block + ". " : "") + "Each warp as if it were alone on the machine: the profile from which the bounds follow." +
        (begins.length > 2 ? " Dashed lines: a barrier, behind which a section begins once the slowest warp is there." : "") +
        (shown.length < own.length ? " The first " + shown.length + " of " + own.length + " warps." : "") + (l.warps_left_out ? " The phases of " + wholeNumber(l.warps_left_out) + " more warps are left out; --phases writes all." : ""));
  });
}

function boundsTable(page, data, trace) {
  addSection(page, "launches", "All launches", (body) => {
    const policies = Object.keys(trace.launches[0].replay), value = (key, name) => ({ name, number: true, text: (l) => figure(l[key]), value: (l) => l[key] });
    addTable(body, [{ name: "launch", number: true, text: (l) => String(l.launch), value: (l) => l.launch }, { name: "kernel", class: "wide", text: (l) => l.kernel, value: (l) => l.kernel },
      value("warp_count", "warps"), value("warp_instructions", "instructions"), value("gub", "GUB"), value("serial_bound", "serial"), value("unit_bound", "unit-aware"), value("exact", "exact"),
      ...policies.flatMap((p) => [{ name: p, title: "cycles of a replay", number: true, text: (l) => figure(l.replay[p]), value: (l) => l.replay[p] },
        { name: "over " + p, title: "how much larger the unit-aware bound is", number: true, text: (l) => l.replay[p] ? percent(l.unit_bound / l.replay[p] - 1) : "–", value: (l) => l.unit_bound / l.replay[p] }])],
      trace.launches, { first: "launch", example: "Search: words, or warps>4" });
  });
}

function sectionsTable(page, trace, state) {
  addSection(page, "sections", "Sections between barriers", (body) => {
    const sections = trace.launches[state.launch].sections;
    if (sections.length < 2) return false;
    const value = (key, name) => ({ name, number: true, text: (s) => figure(s[key]), value: (s) => s[key] });
    addTable(body, [{ name: "section", number: true, text: (s) => String(sections.indexOf(s)), value: (s) => sections.indexOf(s) }, value("warps", "warps"), value("instructions", "instructions"),
      { ...value("alone", "alone"), title: "cycles of the longest warp by itself" }, value("gub", "GUB"), value("serial_bound", "serial"), value("unit_bound", "unit-aware")],
      sections, { first: "section", example: "Search: warps>4" });
  });
}

function showWcet(page, data) {
  const state = { trace: 0, launch: 0, block: -1 }, traces = data.traces.filter((t) => t.launches.length), trace = () => traces[state.trace], l = trace().launches[0];
  page.main.append(h("h1", {}, "Bounds of " + traces.map((t) => baseName(t.trace.file)).join(", ") + " on " + data.machine.name), h("p", { class: "soft" }, data.made.tool + ", " + data.made.date + ". Any work-conserving warp scheduler."));
  if (data.stopped) page.main.append(h("p", { class: "note" }, stoppedText(data.stopped)));
  const top = h("div");
  page.main.append(top, page.nav);
  const sections = h("div");
  page.main.append(sections);
  const show = () => {
    const now = trace().launches[state.launch], mhz = data.machine.options.clock_mhz;
    top.replaceChildren(h("div", { class: "controls" },
      traces.length > 1 ? select("Trace", traces.map((t, n) => [n, t.trace.file]), state.trace, (n) => { state.trace = Number(n); state.launch = 0; build(); }) : "",
      trace().launches.length > 1 ? select("Launch", trace().launches.slice(0, 1000).map((x, n) => [n, launchText(x)]), state.launch, (n) => { state.launch = Number(n); show(); page.refresh(); }) : ""),
      facts([["Unit-aware bound", figure(now.unit_bound), mhz ? d3.format(",.3f")(now.unit_bound / mhz) + " µs at " + figure(mhz) + " MHz" : null], ["Serial bound", figure(now.serial_bound)],
        now.gub !== null ? ["GUB", figure(now.gub), "published, not safe in every case"] : null, now.exact ? ["Exact worst case", figure(now.exact)] : null, ["Warps", figure(now.warp_count)],
        ["Warp instructions", figure(now.warp_instructions)]]));
  };
  const build = () => {
    show();
    page.sections.length = 0;
    page.nav.replaceChildren();
    sections.replaceChildren();
    const inner = { ...page, main: sections };
    boundsSection(inner, trace(), state);
    phasesSection(inner, trace(), state);
    boundsTable(inner, data, trace());
    sectionsTable(inner, trace(), state);
    addSection(inner, "provenance", "Where this comes from", (body) => {
      body.append(pairs([...madeRows(data), ["assumptions", data.assumptions.join(", ")], ...traceRows(trace().trace)]), optionsOf("Machine", data.machine), licenceOf());
    });
  };
  build();
}
