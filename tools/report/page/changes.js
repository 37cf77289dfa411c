// What changes from the baseline to the best run: by reason, and by source line.

// rows: [{text, change}], the largest changes first.
function drawChanges(svg, width, rows, label) {
  const narrow = isNarrow(width), size = 20, gap = narrow ? 20 : 6, top = narrow ? 18 : 4, bottom = 44;
  const left = narrow ? 8 : Math.min(width * 0.4, 16 + widestLabel(rows)), right = 24;
  const height = top + rows.length * (size + gap) + bottom;
  const [low, high] = [Math.min(0, d3.min(rows, (r) => r.change)), Math.max(0, d3.max(rows, (r) => r.change))];
  const room = 72 / Math.max(120, width - left - right) * (high - low || 1);
  const x = d3.scaleLinear().domain([low < 0 ? low - room : 0, high > 0 ? high + room : 0]).range([left, width - right]);
  const text = tickTextOf(x, narrow ? 3 : 6);
  bottomAxis(svg, x, height - bottom, height - bottom - top, label, width - right, narrow ? 3 : 6, (v) => (v > 0 ? "+" : "") + text(v));
  const signed = d3.format("+,.0f");
  rows.forEach((r, i) => {
    const y = top + i * (size + gap);
    svg.append("text").attr("class", "label").attr("x", narrow ? 0 : left - 8).attr("y", narrow ? y - 4 : y + 14).attr("text-anchor", narrow ? "start" : "end")
      .text(fitLabel(r.text, narrow ? width : left - 10));
    fillRect(svg, r.change < 0 ? 2 : 1, Math.min(x(0), x(r.change)), y, Math.abs(x(r.change) - x(0)), size);
    svg.append("text").attr("class", "label").attr("x", x(r.change) + (r.change < 0 ? -5 : 5)).attr("y", y + 14)
      .attr("text-anchor", r.change < 0 ? "end" : "start").text(signed(r.change));
  });
  svg.append("line").attr("x1", x(0)).attr("x2", x(0)).attr("y1", top).attr("y2", height - bottom).attr("stroke", "#333");
  return height;
}

function reasonChanges(runs, role) {
  const parts = [role.baseline, role.best].map((i) => barOf(runs, i, "").parts);
  return parts[0].map((p, n) => ({ text: p.name, change: parts[1][n].cycles - p.cycles })).filter((r) => Math.abs(r.change) >= 0.5)
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
}

function lineName(l) {
  return l.file && l.line ? baseName(l.file) + ":" + l.line : "(no line)";
}

function linesTable(lines, several) {
  const cell = (v) => h("td", { class: "number" }, figure(v === null ? 0 : Math.round(v))), sources = lines.some((l) => l.text);
  return h("div", { class: "scroll" }, h("table", {},
    h("thead", {}, h("tr", {}, several ? h("th", {}, "kernel") : null, h("th", {}, "line"), sources ? h("th", {}, "source") : null,
      ["baseline", "best", "change"].map((t) => h("th", { class: "number" }, t)), h("th", {}, "mostly"))),
    h("tbody", {}, lines.map((l) => h("tr", {}, several ? h("td", { class: "wide" }, l.kernel) : null, h("td", { title: l.file || "" }, lineName(l)),
      sources ? h("td", { class: "source code" }, l.text || "") : null, cell(l.baseline), cell(l.best),
      h("td", { class: "number" }, d3.format("+,.0f")(l.change)), h("td", {}, l.mostly || ""))))));
}

const mostOptionRows = 12; // of options that do not vary

function optionsTable(rows) {
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["option", "baseline", "best"].map((t) => h("th", {}, t)))),
    h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((c) => h("td", {}, c)))))));
}

// What differs between the two machines: their names and the options that vary. Different GPUs differ in some hundred others, which one
// opens; a few are shown at once.
function optionChanges(body, runs, role) {
  const machines = [role.baseline_machine, role.best_machine].map((n) => runs.data.machines[n]), [one, other] = machines.map((m) => m.options);
  const varied = new Set(runs.data.axes.map((a) => a.name)), row = (k) => [k, ...[one, other].map((o) => k in o ? String(o[k]) : "none")];
  const all = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((k) => one[k] !== other[k]);
  const fixed = all.filter((k) => !varied.has(k)), many = fixed.length > mostOptionRows;
  const names = machines[0].name === machines[1].name ? [] : [["machine", ...machines.map((m) => m.name)]];
  body.append(optionsTable([...names, ...all.filter((k) => !many || varied.has(k)).map(row)]));
  if (many) body.append(h("details", {}, h("summary", {}, wholeNumber(fixed.length) + " other options in which these machines differ"), optionsTable(fixed.map(row))));
}

function changesSection(page, runs, state) {
  addSection(page, "changes", "From the baseline to the best run", (body) => {
    const data = runs.data, role = data.roles[state.trace], cycles = runs.value("cycles");
    if (runs.of(state.trace).length < 2) return false;
    if (role.baseline === role.best) {
      body.append(h("p", {}, "The baseline is the best run."));
      return true;
    }
    body.append(h("p", {}, "Run " + data.runs[role.baseline] + " takes " + figure(cycles(role.baseline)) + " cycles, run " + data.runs[role.best] + " " + figure(cycles(role.best)) + "."));
    optionChanges(body, runs, role);
    const reasons = reasonChanges(runs, role);
    if (reasons.length) {
      body.append(h("h3", {}, "By what the cycles go to"));
      addFigure(body, "changes by reason", (svg, width) => drawChanges(svg, width, reasons, "change in cycles"), "Bars to the left: the best run has fewer.");
    }
    if (!role.lines) {
      body.append(h("p", { class: "note" }, "What changes by source line is known where reprise sweep --stalls kept it."));
      return true;
    }
    const several = new Set(role.lines.map((l) => l.kernel)).size > 1;
    body.append(h("h3", {}, "By source line"));
    const drawn = role.lines.slice(0, 12).map((l) => ({ text: lineName(l) + (l.text ? "  " + l.text.trim() : several ? "  " + l.kernel : ""), change: l.change }));
    addFigure(body, "changes by source line", (svg, width) => drawChanges(svg, width, drawn, "change in cycles"), "");
    body.append(linesTable(role.lines, several));
  });
}
