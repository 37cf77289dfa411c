// Two values of all runs, and those that no other run beats in both.

const mostPoints = 2000, mostNumbered = 26;

// In the order of the first value a run is on the front if its second is better than that of all before it.
function frontOf(some, one, other) {
  const order = some.filter((i) => one(i) !== null && other(i) !== null).sort((a, b) => one(a) - one(b) || other(a) - other(b));
  const front = [];
  let least = Infinity;
  for (const i of order)
    if (other(i) < least) {
      front.push(i);
      least = other(i);
    }
  return front;
}

function moreIsBetter(name) { return /^(ipc|occupancy)$|hits$/.test(name); }

function paretoChoices(runs) {
  const axes = runs.axes.filter((a) => runs.numeric(a)).map((a) => a.name);
  return [...runs.columns.keys(), ...axes.filter((n) => !runs.columns.has(n))];
}

function defaultPareto(runs) {
  if (runs.data.pareto) return runs.data.pareto;
  const axis = runs.axes.find((a) => runs.numeric(a)), value = runs.data.value, area = runs.value("area");
  const areas = area ? new Set(runs.all.map(area).filter((v) => v !== null)).size > 1 : false;
  const other = areas ? "area" : axis ? axis.name : ["dram.accesses", "port.requests", "l2.misses", "l1.misses"].find((n) => runs.columns.has(n) && n !== value.name);
  return other ? [value, { name: other, more: moreIsBetter(other) }] : null;
}

// Logarithmic where values grow by factors.
function paretoScale(all, value, range) {
  const [low, high] = d3.extent(all, value), pad = (high - low || Math.abs(high) || 1) * 0.05;
  if (low > 0 && high >= 16 * low) return d3.scaleLog().base(2).domain([low / 1.3, high * 1.3]).range(range);
  return d3.scaleLinear().domain([low >= 0 && low < high / 4 ? 0 : low - pad, high + pad]).nice().range(range);
}

// The numbers of the runs on the front, from 1, at their places; those of neighbours that would touch are one label, as 2–4.
function frontLabels(places) {
  const labels = [];
  places.forEach((place, n) => {
    const last = labels[labels.length - 1];
    if (last && Math.abs(place.x - last.x) < labelWidth(last.text) + 4 && Math.abs(place.y - last.y) < 14) last.text = last.first + "–" + (n + 1);
    else labels.push({ ...place, first: n + 1, text: String(n + 1) });
  });
  return labels;
}

function drawPareto(runs, svg, width, points, front, names, role) {
  const narrow = isNarrow(width), height = narrow ? 300 : 400, right = 30, top = 26, bottom = 44;
  const [one, other] = names.map((n) => runs.value(n));
  const all = [...points, ...front], y = paretoScale(all, other, [height - bottom, top]);
  const text = (name) => runs.unit(name) === "bytes" ? (v) => optionText(v, "bytes") : null;
  const [across, up] = names.map((n) => { const axis = runs.axis(n); return axis && axis.values.length <= 12 ? axis.values.filter((v) => v !== null) : null; });
  const left = leftRoom(y, 6, text(names[1]), up), x = paretoScale(all, one, [left, width - right]);
  leftAxis(svg, y, left, width - left - right, withUnit(names[1], runs.unit(names[1])), 6, text(names[1]), up);
  bottomAxis(svg, x, height - bottom, height - bottom - top, withUnit(names[0], runs.unit(names[0])), width - right, narrow ? 4 : 8, text(names[0]), across);
  const place = (i) => "translate(" + x(one(i)) + "," + y(other(i)) + ")";
  for (const i of points)
    svg.append("circle").attr("transform", place(i)).attr("r", 3.5).attr("fill", "none").attr("stroke", "#6b6b6b")
      .append("title").text(runs.label(i, runs.axes));
  svg.append("path").attr("fill", "none").attr("stroke", colours[0]).attr("stroke-width", 2).attr("stroke-dasharray", "6 3")
    .attr("d", d3.line().curve(d3.curveStepAfter).x((i) => x(one(i))).y((i) => y(other(i)))(front));
  for (const i of front)
    svg.append("path").attr("transform", place(i)).attr("d", seriesSymbol(1, 90)).attr("fill", colours[0]).append("title").text(runs.label(i, runs.axes));
  if (front.length <= mostNumbered)
    for (const label of frontLabels(front.map((i) => ({ x: x(one(i)) + 8, y: y(other(i)) - 6 }))))
      svg.append("text").attr("class", "label").attr("x", label.x).attr("y", label.y).text(label.text);
  if (one(role.baseline) !== null && other(role.baseline) !== null)
    svg.append("path").attr("transform", place(role.baseline)).attr("d", seriesSymbol(3, 110)).attr("fill", "#fff").attr("stroke", "#c44e00").attr("stroke-width", 2);
  return height;
}

// Of many points every so many-th is drawn, in the order of the first value.
function thin(points, most, value) {
  if (points.length <= most) return points;
  const order = points.slice().sort((a, b) => value(a) - value(b)), step = order.length / most;
  return d3.range(most).map((n) => order[Math.floor(n * step)]);
}

function paretoSection(page, runs, state) {
  const first = defaultPareto(runs);
  if (!first) return;
  state.pareto = first.map((p) => ({ ...p }));
  addSection(page, "pareto", "Pareto front of two values", (body) => {
    const some = runs.of(state.trace), names = state.pareto.map((p) => p.name), role = runs.data.roles[state.trace];
    if (some.length < 2) return false;
    const choices = paretoChoices(runs).map((n) => [n, n]);
    const again = (n) => (name) => { state.pareto[n] = { name, more: moreIsBetter(name) }; state.refresh("pareto"); };
    const turn = (n) => (more) => { state.pareto[n].more = more === "1"; state.refresh("pareto"); };
    body.append(h("div", { class: "controls" }, [0, 1].flatMap((n) => [
      select(n ? "Up" : "Across", choices, names[n], again(n)),
      select("better:", [["", "less"], ["1", "more"]], state.pareto[n].more ? "1" : "", turn(n))])));
    const [one, other] = names.map((n) => runs.value(n)), signs = state.pareto.map((p) => p.more ? -1 : 1);
    const known = some.filter((i) => one(i) !== null && other(i) !== null);
    const competing = runs.competing(known), estimates = known.length - competing.length;
    const front = frontOf(competing, (i) => signs[0] * one(i), (i) => signs[1] * other(i)), points = thin(known, mostPoints, one);
    addLegend(body, [
      { text: "on the front", draw: (svg) => svg.append("path").attr("transform", "translate(14,7)").attr("d", seriesSymbol(1, 90)).attr("fill", colours[0]) },
      { text: "other runs", draw: (svg) => svg.append("circle").attr("cx", 14).attr("cy", 7).attr("r", 3.5).attr("fill", "none").attr("stroke", "#6b6b6b") },
      { text: "baseline", draw: (svg) => svg.append("path").attr("transform", "translate(14,7)").attr("d", seriesSymbol(3, 90)).attr("fill", "#fff").attr("stroke", "#c44e00").attr("stroke-width", 2) }]);
    const without = names.filter((n) => some.some((i) => runs.value(n)(i) === null)).join(" or ");
    const left = runs.leftOut(some, known, "no " + without + " is known there");
    if (left) body.append(h("p", { class: "note" }, left));
    if (!known.length) return true;
    addFigure(body, names.join(" and "), (svg, width) => drawPareto(runs, svg, width, points, front, names, role),
      "No other run is as good as one on the front in both, and better in one; good is " + state.pareto.map((p) => (p.more ? "more " : "less ") + p.name).join(" and ") + "." +
        (points.length < known.length ? " Of " + wholeNumber(known.length) + " runs " + wholeNumber(points.length) + " are drawn, besides the front." : "") +
        (estimates ? " " + plural(estimates, "estimated run") + (estimates > 1 ? " do" : " does") + " not compete with those that are exact." : ""));
    const varied = runs.varied(some), columns = names.filter((n) => !runs.axis(n));
    body.append(h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, h("th", { class: "number" }, "front"), h("th", { class: "number" }, "run"), varied.map((a) => h("th", {}, shortName(a.name))),
        columns.map((n) => h("th", { class: "number" }, n)))),
      h("tbody", {}, front.slice(0, mostNumbered).map((i, n) => h("tr", {}, h("td", { class: "number" }, n + 1), h("td", { class: "number" }, runs.data.runs[i]),
        varied.map((a) => h("td", {}, optionText(a.values[a.of[i]], a.unit))), columns.map((n) => h("td", { class: "number" }, figure(runs.value(n)(i))))))))),
      front.length > mostNumbered ? h("p", { class: "soft" }, "The first " + mostNumbered + " of " + front.length + " runs on the front.") : "");
  });
}
