// A value over two axes: darker is more. Every cell has its number, so that colour is not needed.

const mostCells = 60;

function drawHeat(runs, svg, width, x, y, cells, name, best) {
  const narrow = isNarrow(width), value = runs.value(name), numbers = [...cells.values()].map(value);
  const xs = [...new Set([...cells.values()].map((i) => x.of[i]))].sort((a, b) => a - b).slice(0, mostCells);
  const ys = [...new Set([...cells.values()].map((i) => y.of[i]))].sort((a, b) => a - b).slice(0, mostCells);
  const text = (axis) => (i) => clip(optionText(axis.values[i], axis.unit), narrow ? 12 : 18);
  const left = Math.min(narrow ? 90 : 150, 14 + 7.2 * d3.max(ys, (i) => text(y)(i).length)), top = 26, bottom = 44;
  const cell = Math.max(narrow ? 22 : 26, Math.min(52, 480 / ys.length)), height = top + cell * ys.length + bottom;
  const at = d3.scaleBand().domain(xs).range([left, width - 4]), up = d3.scaleBand().domain(ys).range([top, height - bottom]);
  const range = d3.extent(numbers), shade = d3.scaleLinear().domain(range[0] === range[1] ? [range[0] - 1, range[1]] : range).range([0, 1]);
  const colour = (v) => d3.interpolateRgb("#f3f7fb", "#08306b")(shade(v));
  const written = narrow && at.bandwidth() < 62 ? shortNumber : figure;
  svg.append("text").attr("class", "title").attr("x", 0).attr("y", 12).text(withUnit(shortName(y.name), y.unit));
  svg.append("g").attr("transform", "translate(" + left + ",0)").call(d3.axisLeft(up).tickFormat(text(y)).tickSize(0)).select(".domain").remove();
  const axis = svg.append("g").attr("transform", "translate(0," + (height - bottom) + ")").call(d3.axisBottom(at).tickFormat(text(x)).tickSize(0));
  axis.select(".domain").remove();
  thinLabels(axis, at.bandwidth());
  svg.append("text").attr("class", "title").attr("x", width - 4).attr("y", height - bottom + 36).attr("text-anchor", "end").text(withUnit(shortName(x.name), x.unit));
  for (const run of cells.values()) {
    if (at(x.of[run]) === undefined || up(y.of[run]) === undefined) continue;
    const v = value(run), g = svg.append("g").attr("transform", "translate(" + at(x.of[run]) + "," + up(y.of[run]) + ")");
    g.append("rect").attr("width", at.bandwidth() - 1).attr("height", up.bandwidth() - 1).attr("fill", v === null ? "#fff" : colour(v));
    g.append("title").text(runs.label(run, runs.axes) + ": " + figure(v));
    if (at.bandwidth() > labelWidth(written(v)) + 4)
      g.append("text").attr("class", "label").attr("x", at.bandwidth() / 2).attr("y", up.bandwidth() / 2 + 4).attr("text-anchor", "middle")
        .style("fill", shade(v) > 0.45 ? "#fff" : "#1a1a1a").text(written(v));
    if (run === best)
      g.append("rect").attr("x", 1).attr("y", 1).attr("width", at.bandwidth() - 3).attr("height", up.bandwidth() - 3).attr("fill", "none")
        .attr("stroke", "#c44e00").attr("stroke-width", 3);
  }
  return height;
}

function heatSection(page, runs, state) {
  addSection(page, "heat", "Over two axes", (body) => {
    const some = runs.of(state.trace), varied = runs.varied(some), role = runs.data.roles[state.trace], chosen = state.heat;
    if (runs.leading(some).length < 2) return false;
    const [defaultX, defaultY] = chooseAxes(runs, runs.leading(some), some, role.best);
    const x = varied.find((a) => a.name === chosen.x) || defaultX;
    const y = varied.find((a) => a.name === chosen.y && a !== x) || (defaultY !== x ? defaultY : varied.find((a) => a !== x));
    const again = (key) => (value) => { chosen[key] = value; state.refresh("heat"); };
    body.append(h("div", { class: "controls" },
      select("Value", valueOptions(runs), chosen.value, again("value")),
      select("Across", varied.map((a) => [a.name, shortName(a.name)]), x.name, again("x")),
      select("Down", varied.filter((a) => a !== x).map((a) => [a.name, shortName(a.name)]), y.name, again("y")),
      select("All else", [["fixed", "as in the best run"], ["best", "the best over it"]], chosen.mode, again("mode"))));
    const picked = pickRuns(runs, some, [x, y], role.best, chosen.mode);
    const many = Math.max(new Set(some.map((i) => x.of[i])).size, new Set(some.map((i) => y.of[i])).size) > mostCells;
    addFigure(body, chosen.value + " over " + x.name + " and " + y.name,
      (svg, width) => drawHeat(runs, svg, width, x, y, picked.cells, chosen.value, role.best),
      withUnit(chosen.value, runs.unit(chosen.value)) + ": darker is more; the frame is the best run. " + othersText(runs, picked, role.best) +
        (many ? " The first " + mostCells + " values of each axis are shown." : ""));
  });
}
