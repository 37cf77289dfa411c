// The instruction roofline: warp instructions per cycle against warp instructions per byte of device memory.

// points: [{x, y, text, mark, label}], roofs: [{issue, memory, mhz, text}]
function drawRoofline(svg, width, points, roofs) {
  const narrow = isNarrow(width), height = narrow ? 300 : 400, left = 64, right = 20, top = 30, bottom = 44;
  const ridges = roofs.filter((r) => r.memory > 0).map((r) => r.issue / r.memory);
  const xs = [...points.map((p) => p.x), ...ridges], tops = roofs.map((r) => r.issue), low = d3.min(points, (p) => p.y);
  const x = d3.scaleLog().domain([d3.min(xs) / 4, d3.max(xs) * 4]).range([left, width - right]);
  const y = d3.scaleLog().domain([Math.min(low, d3.min(tops)) / 4, d3.max(tops) * 2]).range([height - bottom, top]).clamp(true);
  const text = (scale) => {
    const some = scale.ticks().filter((t) => /^[125]/.test(t.toExponential()));
    return some.length <= 8 ? some : scale.ticks().filter((t) => /^1e/.test(t.toExponential()));
  };
  leftAxis(svg, y, left, width - left - right, "warp instructions per cycle", 0, d3.format("~g"), text(y));
  bottomAxis(svg, x, height - bottom, height - bottom - top, "warp instructions per byte of device memory", width - right, 0, d3.format("~g"), text(x));
  roofs.forEach((r, i) => {
    const from = x.domain()[0], to = x.domain()[1], ridge = r.memory > 0 ? r.issue / r.memory : 0;
    const line = ridge ? [[Math.max(from, y.domain()[0] / r.memory), Math.max(from, y.domain()[0] / r.memory) * r.memory], [ridge, r.issue], [to, r.issue]] : [[from, r.issue], [to, r.issue]];
    svg.append("path").attr("fill", "none").attr("stroke", seriesColour(i)).attr("stroke-width", 2).attr("stroke-dasharray", seriesDash(i))
      .attr("d", d3.line().x((p) => x(p[0])).y((p) => y(p[1]))(line));
    if (roofs.length > 3) return;
    svg.append("text").attr("class", "label").attr("x", width - right - 4).attr("y", y(r.issue) - 6).attr("text-anchor", "end")
      .text("issue: " + figure(r.issue) + " per cycle");
    if (ridge)
      svg.append("text").attr("class", "label").attr("x", x(line[0][0]) + 6).attr("y", y(line[0][1]) - 26).text("device memory: " + d3.format(".4~g")(r.memory) + " bytes per cycle")
        .attr("transform", "rotate(" + (-Math.atan2(y(line[0][1]) - y(line[1][1]), x(line[1][0]) - x(line[0][0])) * 180) / Math.PI + "," + (x(line[0][0]) + 6) + "," + (y(line[0][1]) - 26) + ")");
  });
  for (const p of points) {
    p.mark(svg.append("g").attr("transform", "translate(" + x(p.x) + "," + y(p.y) + ")")).append("title").text(p.text + ": " + d3.format(".4~g")(p.x) + " per byte, " + figure(p.y) + " per cycle");
    const before = points.find((q) => q !== p && q.label && points.indexOf(q) < points.indexOf(p) && Math.abs(y(q.y) - y(p.y)) < 14 && Math.abs(x(q.x) - x(p.x)) < 70);
    if (p.label) svg.append("text").attr("class", "label").attr("x", x(p.x) + (before ? -10 : 10)).attr("y", y(p.y) + 4).attr("text-anchor", before ? "end" : "start").text(p.label);
  }
  return height;
}

const plainMark = (g) => g.append("circle").attr("r", 3.5).attr("fill", "none").attr("stroke", "#6b6b6b");
const bestMark = (g) => g.append("path").attr("d", d3.symbol().type(d3.symbolStar).size(130)()).attr("fill", colours[0]);
const baselineMark = (g) => g.append("path").attr("d", d3.symbol().type(d3.symbolDiamond).size(110)()).attr("fill", "#fff").attr("stroke", "#c44e00").attr("stroke-width", 2);

function roofText(roofs, count) {
  const memory = roofs.filter((r) => r.memory > 0);
  return (memory.length ? "" : "The machine's options say no bandwidth of device memory, so that only issue is a roof. ") +
    "Below the slope device memory bounds a run, below the flat line the issue of instructions does." +
    (memory.length === 1 && memory[0].mhz ? " At " + figure(memory[0].mhz) + " MHz device memory moves " + d3.format(".4~g")((memory[0].memory * memory[0].mhz) / 1000) + " GB/s." : "") +
    (count > roofs.length ? " Of " + count + " different pairs of roofs those of the baseline and of the best run are drawn." : "");
}

function rooflineSection(page, runs, state) {
  addSection(page, "roofline", "Roofline", (body) => {
    const some = runs.of(state.trace), role = runs.data.roles[state.trace], data = runs.data;
    const accesses = runs.value("dram.accesses"), warps = runs.value("warp_instructions"), ipc = runs.value("ipc");
    if (!accesses || !warps || !ipc) return false;
    const roof = (i) => data.roofs[data.roof_of[i]];
    const known = some.filter((i) => accesses(i) > 0 && ipc(i) > 0);
    if (!known.length) return false;
    const numbers = [...new Set(known.map((i) => data.roof_of[i]))];
    const shown = numbers.length <= 3 ? numbers : [...new Set([role.baseline, role.best].map((i) => data.roof_of[i]))];
    const ofCores = runs.value("cores.instructions");
    const x = (i) => ((ofCores && ofCores(i)) || warps(i)) / (accesses(i) * roof(i).sector);
    const point = (i, mark, label) => ({ x: x(i), y: ipc(i), text: runs.label(i, runs.axes), mark, label });
    const points = thin(known, mostPoints, ipc).map((i) => point(i, plainMark));
    for (const [i, mark, label] of [[role.baseline, baselineMark, "baseline"], [role.best, bestMark, "best"]])
      if (known.includes(i)) points.push(point(i, mark, label));
    const left = runs.leftOut(some, known, "no access to device memory is counted there");
    if (left) body.append(h("p", { class: "note" }, left));
    addFigure(body, "roofline", (svg, width) => drawRoofline(svg, width, points, shown.map((n) => data.roofs[n])),
      roofText(shown.map((n) => data.roofs[n]), numbers.length) + (known.length > mostPoints ? " " + wholeNumber(mostPoints) + " of " + wholeNumber(known.length) + " runs are drawn." : ""));
  });
}
