// Intervals over cycles, in rows.

const mostIntervals = 6000;

// A block, or a thin line for what only waits.
function drawSpan(svg, full, x, y, width, height) {
  const shape = svg.append("rect").attr("x", x).attr("width", Math.max(0.7, width));
  if (full) shape.attr("y", y).attr("height", height).attr("fill", fillColours[0]);
  else shape.attr("y", y + height / 2 - 1).attr("height", 2).attr("fill", "#8a8a8a");
  return shape;
}

// rows: [{text, spans: [{from, to, full, title}]}]; marks: cycles with a line.
function drawGantt(svg, width, rows, label, marks) {
  const narrow = isNarrow(width), size = rows.length > 40 ? 8 : 16, gap = 3, top = 4, bottom = 44;
  const left = Math.min(narrow ? 110 : 260, 14 + widestLabel(rows)), right = 12, height = top + rows.length * (size + gap) + bottom;
  const spans = rows.flatMap((r) => r.spans), x = d3.scaleLinear().domain([Math.min(0, d3.min(spans, (s) => s.from)), d3.max(spans, (s) => s.to) || 1]).range([left, width - right]);
  bottomAxis(svg, x, height - bottom, height - bottom - top, label, width - right, narrow ? 3 : 8);
  rows.forEach((row, i) => {
    const y = top + i * (size + gap);
    if (rows.length <= 40 || i % 4 === 0)
      svg.append("text").attr("class", "label").attr("x", left - 8).attr("y", y + size / 2 + 4).attr("text-anchor", "end").text(fitLabel(row.text, left - 10));
    for (const span of row.spans) drawSpan(svg, span.full, x(span.from), y, x(span.to) - x(span.from), size).append("title").text(span.title);
  });
  for (const at of marks || [])
    svg.append("line").attr("x1", x(at)).attr("x2", x(at)).attr("y1", 0).attr("y2", height - bottom).attr("stroke", "#c44e00").attr("stroke-width", 1.5).attr("stroke-dasharray", "5 3");
  return height;
}
