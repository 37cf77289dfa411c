// A value over an axis, a line for each value of another.

const mostLines = 8;

function drawLines(runs, svg, width, x, lines, name) {
  const narrow = isNarrow(width), height = narrow ? 280 : 360, right = 16, top = 26, bottom = 44;
  const values = lines.flatMap((l) => l.points.map((p) => p.y)), low = d3.min(values), high = d3.max(values);
  const pad = (high - low || Math.abs(high) || 1) * 0.06;
  const y = d3.scaleLinear().domain([low >= 0 && low < high / 2 ? 0 : low - pad, high + pad]).nice().range([height - bottom, top]);
  const left = leftRoom(y, 6);
  const at = d3.scalePoint().domain(d3.range(x.values.length)).range([left, width - right]).padding(0.3);
  leftAxis(svg, y, left, width - left - right, withUnit(name, runs.unit(name)), 6);
  const axis = bottomAxis(svg, at, height - bottom, height - bottom - top, withUnit(shortName(x.name), x.unit), width - right, 0,
    (i) => clip(optionText(x.values[i], x.unit), 18));
  thinLabels(axis, at.step());
  lines.forEach((l, i) => {
    svg.append("path").attr("fill", "none").attr("stroke", seriesColour(i)).attr("stroke-width", 2).attr("stroke-dasharray", seriesDash(i))
      .attr("d", d3.line().x((p) => at(p.x)).y((p) => y(p.y))(l.points));
    for (const p of l.points)
      svg.append("path").attr("transform", "translate(" + at(p.x) + "," + y(p.y) + ")").attr("d", seriesSymbol(i)).attr("fill", seriesColour(i))
        .append("title").text(runs.label(p.run, runs.axes) + ": " + figure(p.y));
  });
  return height;
}

function linesOf(runs, picked, x, by, name) {
  const value = runs.value(name), lines = new Map();
  for (const run of picked.cells.values()) {
    const key = by ? by.of[run] : 0;
    if (!lines.has(key)) lines.set(key, []);
    lines.get(key).push({ x: x.of[run], y: value(run), run });
  }
  const all = [...lines].sort((a, b) => a[0] - b[0]).map(([key, points]) => ({
    text: by ? shortName(by.name) + " " + optionText(by.values[key], by.unit) : name,
    points: points.filter((p) => p.y !== null).sort((a, b) => a.x - b.x),
  }));
  if (all.length <= mostLines) return all;
  const best = (l) => Math.min(...l.points.map((p) => runs.data.value.more ? -p.y : p.y));
  return all.slice().sort((a, b) => best(a) - best(b)).slice(0, mostLines);
}

// Those first along which the value changes, then those of numbers, then those of many values.
function chooseAxes(runs, varied, some, best) {
  const value = runs.value(runs.data.value.name), size = (a) => a.values.length;
  const flat = new Set(varied.filter((a) => new Set([...pickRuns(runs, some, [a], best, "fixed").cells.values()].map(value)).size < 2));
  const ranked = varied.slice().sort((a, b) => flat.has(a) - flat.has(b) || runs.numeric(b) - runs.numeric(a) || size(b) - size(a));
  const x = ranked[0], by = ranked.slice(1).sort((a, b) => (size(a) > mostLines) - (size(b) > mostLines))[0];
  return [x, by];
}

function axisSection(page, runs, state) {
  addSection(page, "axis", "Over one axis", (body) => {
    const some = runs.of(state.trace), varied = runs.varied(some), role = runs.data.roles[state.trace];
    if (!varied.length) return false;
    const [defaultX, defaultBy] = chooseAxes(runs, runs.leading(some), some, role.best);
    const chosen = state.axis;
    const x = varied.find((a) => a.name === chosen.x) || defaultX;
    const by = chosen.by === "" ? null : varied.find((a) => a.name === chosen.by && a !== x) || (defaultBy !== x ? defaultBy : varied.find((a) => a !== x));
    const again = (key) => (value) => { chosen[key] = value; state.refresh("axis"); };
    body.append(h("div", { class: "controls" },
      select("Value", valueOptions(runs), chosen.value, again("value")),
      select("Axis", varied.map((a) => [a.name, shortName(a.name)]), x.name, again("x")),
      select("Lines", [["", "one"], ...varied.filter((a) => a !== x).map((a) => [a.name, shortName(a.name)])], by ? by.name : "", again("by")),
      select("All else", [["fixed", "as in the best run"], ["best", "the best over it"]], chosen.mode, again("mode"))));
    const picked = pickRuns(runs, some, by ? [x, by] : [x], role.best, chosen.mode);
    const lines = linesOf(runs, picked, x, by, chosen.value);
    const count = by ? new Set(some.map((i) => by.of[i])).size : 1;
    const value = runs.value(chosen.value), drawn = [...picked.cells.values()];
    const left = runs.leftOut(drawn, drawn.filter((i) => value(i) !== null), "no " + chosen.value + " is known there");
    if (left) body.append(h("p", { class: "note" }, left));
    if (drawn.every((i) => value(i) === null)) return true;
    if (by) addLegend(body, lines.map((l, i) => ({ text: l.text, draw: lineMark(i) })));
    addFigure(body, chosen.value + " over " + x.name, (svg, width) => drawLines(runs, svg, width, x, lines, chosen.value),
      [othersText(runs, picked, role.best), count > lines.length ? "Of " + count + " lines the " + lines.length + " best are shown." : ""]
        .filter(Boolean).join(" "));
  });
}

function valueOptions(runs) {
  return runs.data.statistics.map((s) => [s.name, s.name]);
}
