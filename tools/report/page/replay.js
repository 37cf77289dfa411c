// The report of one replay.

const mostLaunchRows = 40;

function launchText(l) { return l.launch + " " + l.kernel; }

function replayParts(values) { return partsOf((n) => values[n], values.cycles); }

// The `most` longest launches. Of those that are as long as the last one some are taken, evenly over all.
function longestLaunches(launches, most) {
  const length = (l) => l.end - l.begin, order = launches.map(length).sort((a, b) => b - a);
  if (launches.length <= most) return { list: launches, of: 0 };
  const least = order[most - 1], longer = launches.filter((l) => length(l) > least), equal = launches.filter((l) => length(l) === least);
  const room = most - longer.length;
  return { list: [...longer, ...d3.range(room).map((i) => equal[Math.floor((i * equal.length) / room)])], of: equal.length > room ? equal.length : 0 };
}

function launchesSection(page, data) {
  if (data.launches.length < 2) return;
  addSection(page, "time", "Launches over time", (body) => {
    const longest = longestLaunches(data.launches, mostLaunchRows);
    const rows = longest.list.sort((a, b) => a.begin - b.begin || a.launch - b.launch).map((l) => ({ text: launchText(l),
      spans: [{ from: l.begin, to: l.end, full: true, title: launchText(l) + ": " + figure(l.begin) + " to " + figure(l.end) }] }));
    addFigure(body, "launches over cycles", (svg, width) => drawGantt(svg, width, rows, "cycles since the first launch began"),
      data.launch_count > rows.length ? "The " + rows.length + " longest of " + wholeNumber(data.launch_count) + " launches." + (longest.of ? " Of " + wholeNumber(longest.of) + " that are equally long some are shown, evenly over all." : "") : "");
  });
}

function replayStalls(page, data) {
  useStalls(Object.keys(data.total));
  if (!stallNames.length) return;
  addSection(page, "stalls", "Where the cycles go", (body) => {
    const own = data.launches.filter((l) => !l.overlaps && l.values.cycles).sort((a, b) => b.values.cycles - a.values.cycles);
    const shown = data.launch_count > 1 ? own.slice(0, mostBars) : [];
    const all = [{ text: data.launch_count > 1 ? "all launches" : data.launches[0] ? launchText(data.launches[0]) : "all", parts: replayParts(data.total), note: figure(data.total.cycles) }];
    const bars = shown.map((l) => ({ text: launchText(l), parts: replayParts(l.values), note: figure(l.values.cycles) }));
    stackLegend(body, [...all, ...bars]);
    addFigure(body, "cycles by what they went to", (svg, width) => drawStack(svg, width, all, "cycles"), "The cycles, divided as those of all sub-cores are.");
    if (!bars.length) return;
    body.append(h("h3", {}, "By launch"));
    addFigure(body, "launches by what their cycles went to", (svg, width) => drawStack(svg, width, bars, "cycles"),
      data.launch_count > shown.length ? "Of " + wholeNumber(data.launch_count) + " launches the " + shown.length + " longest that run alone." : "");
  });
}

// A place of the source as parts of the machine's cycles.
function placeParts(place, subcores) {
  const parts = [["issue", place.issue_cycles], ...Object.entries(place.stall)].map(([name, cycles]) => ({ name, cycles: cycles / subcores }));
  return parts.sort((a, b) => partNumber(a.name) - partNumber(b.name));
}

function placeText(p) {
  const where = p.file ? baseName(p.file) + ":" + p.line : p.text || (p.kernel ? p.kernel + " (no line)" : "(no instruction)");
  return where + (p.source_text ? "  " + p.source_text.trim() : "");
}

function sourceSection(page, data) {
  if (!data.hotspots) {
    if (data.stored) addSection(page, "lines", "Source lines", (body) => body.append(h("p", { class: "note" }, "A stored result has no source lines: leave --cache out.")));
    return;
  }
  const spots = data.hotspots, places = spots.places;
  addSection(page, "lines", spots.by === "line" ? "Source lines" : "Instructions", (body) => {
    const bars = places.slice(0, 14).map((p) => ({ text: placeText(p), parts: placeParts(p, spots.subcores), note: percent(p.subcore_cycles / (spots.cycles * spots.subcores)) }));
    stackLegend(body, bars);
    addFigure(body, "cycles by place", (svg, width) => drawStack(svg, width, bars, "cycles"), "Issues of the instruction, and the stalls that ended with them.");
    const main = (p) => Object.entries(p.stall).sort((a, b) => b[1] - a[1]).slice(0, 2).map(([n, c]) => n + " " + percent(c / p.subcore_cycles)).join(", ");
    const several = new Set(places.map((p) => p.kernel)).size > 1, sources = places.some((p) => p.source_text);
    addTable(body, [
      ...(several ? [{ name: "kernel", class: "wide", text: (p) => p.kernel || "", value: (p) => p.kernel || "" }] : []),
      { name: spots.by, text: (p) => p.file ? baseName(p.file) + ":" + p.line : p.text || "–", value: (p) => p.line || 0 },
      ...(sources ? [{ name: "source", class: "source code", text: (p) => p.source_text || "", value: (p) => p.source_text || "" }] : []),
      { name: "cycles", number: true, text: (p) => figure(Math.round(p.subcore_cycles / spots.subcores)), value: (p) => p.subcore_cycles },
      { name: "share", number: true, text: (p) => percent(p.subcore_cycles / (spots.cycles * spots.subcores)), value: (p) => p.subcore_cycles },
      { name: "issued", number: true, text: (p) => figure(p.issued), value: (p) => p.issued },
      { name: "lanes", number: true, title: "mean of lanes whose guard was true", text: (p) => p.issued ? d3.format(".1f")(p.threads / p.issued) : "–", value: (p) => p.issued ? p.threads / p.issued : null },
      { name: "mostly", text: main, value: main }], places, { first: "cycles", down: true, example: "Search: words, or issued>1000" });
    if (spots.others) body.append(h("p", { class: "soft" }, "All other places together: " + percent(spots.others.subcore_cycles / (spots.cycles * spots.subcores)) + "; --top shows more."));
  });
}

function replayRoofline(page, data) {
  const roofs = data.roofs, usable = (v) => v["dram.accesses"] > 0 && v.ipc > 0;
  const alone = data.launches.filter((l) => !l.overlaps && usable(l.values));
  if (!usable(data.total)) return;
  addSection(page, "roofline", "Roofline", (body) => {
    const point = (v, text, mark, label) => ({ x: (v["cores.instructions"] || v.warp_instructions) / (v["dram.accesses"] * roofs.sector), y: v.ipc, text, mark, label });
    const points = data.launch_count > 1 ? alone.map((l) => point(l.values, launchText(l), plainMark)) : [];
    points.push(point(data.total, "all launches", bestMark, data.launch_count > 1 ? "all launches" : "the launch"));
    addFigure(body, "roofline", (svg, width) => drawRoofline(svg, width, points, [roofs]), roofText([roofs], 1) + (data.launch_count > 1 ? " A circle is a launch." : ""));
  });
}

function launchTable(page, data) {
  addSection(page, "launches", "Launches", (body) => {
    if (data.launch_count > data.launches.length) body.append(h("p", { class: "note" }, "The " + wholeNumber(data.launches.length) + " longest of " + wholeNumber(data.launch_count) + " launches."));
    const value = (name) => ({ name, number: true, text: (l) => figure(l.values[name] || 0), value: (l) => l.values[name] || 0 });
    const names = [...new Set(data.launches.flatMap((l) => Object.keys(l.values)))], shown = ["cycles", "ipc", "occupancy", "warp_instructions"];
    addTable(body, [
      { name: "launch", number: true, text: (l) => String(l.launch), value: (l) => l.launch },
      { name: "kernel", class: "wide", text: (l) => l.kernel + (l.warning ? " (" + l.warning + ")" : ""), value: (l) => l.kernel },
      { name: "grid", text: (l) => l.grid, value: (l) => l.grid }, { name: "block", text: (l) => l.block, value: (l) => l.block },
      { name: "begin", number: true, text: (l) => figure(l.begin), value: (l) => l.begin }, ...shown.map(value)],
      data.launches, { first: "launch", more: names.filter((n) => !shown.includes(n)).map(value), example: "Search: words, or cycles>1000" });
  });
}

function totalsSection(page, data) {
  addSection(page, "statistics", "All statistics", (body) => {
    const known = new Map(data.explanations.map(([name, unit, text]) => [name, { unit, text }]));
    const explain = (name) => known.get(name) || known.get(name === "occupancy" ? "occupancy.achieved" : name.replace(/^(issue\.stall\.unit\.).*/, "$1NAME").replace(/^(units\.).*(\.busy)$/, "$1NAME$2")) || { unit: "", text: "" };
    addTable(body, [{ name: "statistic", text: (n) => n, value: (n) => n }, { name: "value", number: true, text: (n) => figure(data.total[n]), value: (n) => data.total[n] },
      { name: "unit", text: (n) => explain(n).unit, value: (n) => explain(n).unit }, { name: "definition", class: "wide", text: (n) => explain(n).text, value: (n) => explain(n).text }],
      Object.keys(data.total), { first: "statistic", example: "Search: words, or value>1000" });
  });
}

function replayProvenance(page, data) {
  addSection(page, "provenance", "Where this comes from", (body) => {
    body.append(pairs([...madeRows(data), ["engine", data.engine], ...traceRows(data.trace), ["not whole", data.damage]]), optionsOf("Machine", data.machine), licenceOf());
  });
}

function showReplay(page, data) {
  const ofCores = data.total["cores.instructions"] !== undefined;
  const total = data.total, microseconds = data.roofs.mhz ? d3.format(",.3f")(total.cycles / data.roofs.mhz) + " µs at " + figure(data.roofs.mhz) + " MHz" : null;
  page.main.append(h("h1", {}, baseName(data.trace.file) + " on " + data.machine.name), h("p", { class: "soft" }, data.made.tool + ", " + data.made.date + "."));
  if (data.damage) page.main.append(h("p", { class: "note" }, "The trace is not whole: " + data.damage));
  page.main.append(facts([["Cycles", figure(total.cycles), microseconds], ["Launches", wholeNumber(data.launch_count)], ["IPC", figure(total.ipc), ofCores ? "instructions of all cores per cycle" : "warp instructions per cycle"],
    ["Occupancy", percent(total.occupancy), ofCores ? "cores that have not ended" : "warps by the limit of warps"], ["Warp instructions", figure(total.warp_instructions)]]), page.nav);
  launchesSection(page, data);
  replayStalls(page, data);
  sourceSection(page, data);
  replayRoofline(page, data);
  launchTable(page, data);
  totalsSection(page, data);
  replayProvenance(page, data);
}
