// What charts share: sections, drawing again at another width, axes, legends, and marks that differ without colour.

const colours = ["#005a9c", "#c44e00", "#00785a", "#a8478b", "#2f9bd6", "#a87900", "#222222", "#7a7a7a"];
const dashes = ["", "7 3", "2 3", "9 3 2 3", "4 2", "12 4", "1 2", "6 2 2 2 2 2"];
const symbols = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolCross, d3.symbolStar, d3.symbolWye];

function seriesColour(i) { return colours[i % colours.length]; }
function seriesDash(i) { return dashes[i % dashes.length]; }
function seriesSymbol(i, size) { return d3.symbol().type(symbols[i % symbols.length]).size(size || 60)(); }

const drawings = [];

// A heading, and a place that `render` fills, now and whenever something was chosen. A section without content is not shown.
function addSection(page, id, title, render) {
  const body = h("div"), section = h("section", { id }, h("h2", {}, title), body);
  page.main.append(section);
  const again = () => {
    const keep = body.offsetHeight;
    body.style.minHeight = keep ? keep + "px" : "";
    body.replaceChildren();
    const shown = render(body) !== false;
    section.hidden = !shown;
    if (page.links[id]) page.links[id].hidden = !shown;
    body.style.minHeight = "";
  };
  page.links[id] = h("a", { href: "#" + id }, title);
  page.nav.append(page.links[id]);
  again.id = id;
  page.sections.push(again);
  again();
}

// A figure whose drawing follows the width of the page. draw(svg, width) returns the height.
function addFigure(parent, name, draw, caption) {
  const place = h("div"), element = h("figure", {}, place, caption ? h("figcaption", {}, caption) : null);
  parent.append(element);
  const drawing = {
    place,
    draw() {
      const width = Math.max(280, Math.floor(place.clientWidth || 1060));
      drawing.width = width;
      place.replaceChildren();
      const svg = d3.select(place).append("svg").attr("role", "img").attr("aria-label", name);
      const height = draw(svg, width);
      svg.attr("viewBox", "0 0 " + width + " " + height);
    },
  };
  drawing.draw();
  drawings.push(drawing);
  return element;
}

function drawAgain() {
  for (let i = drawings.length - 1; i >= 0; i--) {
    const d = drawings[i];
    if (!d.place.isConnected) drawings.splice(i, 1);
    else if (d.place.clientWidth && Math.abs(d.place.clientWidth - d.width) > 1) d.draw();
  }
}

function isNarrow(width) { return width < 560; }

function ticksOf(axis, ticks, values) { return values ? axis.tickValues(values) : axis.ticks(ticks || 6); }

// values: where the ticks are, if not at `ticks` round numbers.
function leftAxis(svg, scale, x, width, label, ticks, format, values) {
  svg.append("g").attr("class", "grid").attr("transform", "translate(" + x + ",0)")
    .call(ticksOf(d3.axisLeft(scale), ticks, values).tickSize(-width).tickFormat(""));
  svg.append("g").attr("transform", "translate(" + x + ",0)").call(ticksOf(d3.axisLeft(scale), ticks, values).tickFormat(format || tickText));
  svg.append("text").attr("class", "title").attr("x", 0).attr("y", 12).text(label);
}

function bottomAxis(svg, scale, y, height, label, right, ticks, format, values) {
  svg.append("g").attr("class", "grid").attr("transform", "translate(0," + y + ")")
    .call(ticksOf(d3.axisBottom(scale), ticks, values).tickSize(-height).tickFormat(""));
  const axis = svg.append("g").attr("transform", "translate(0," + y + ")")
    .call(ticksOf(d3.axisBottom(scale), ticks, values).tickFormat(format || tickText));
  svg.append("text").attr("class", "title").attr("x", right).attr("y", y + 36).attr("text-anchor", "end").text(label);
  return axis;
}

// Every other label goes where labels would touch.
function thinLabels(axis, room) {
  const labels = axis.selectAll(".tick text").nodes();
  const widest = d3.max(labels, (t) => t.getComputedTextLength()) || 0;
  const step = Math.max(1, Math.ceil((widest + 8) / room));
  labels.forEach((t, i) => { if (i % step) t.remove(); });
}

// marks: [{text, draw(svg)}], each mark 28 by 14.
function addLegend(parent, marks) {
  const legend = h("div", { class: "legend" });
  for (const mark of marks) {
    const item = h("span");
    const svg = d3.select(item).append("svg").attr("width", 28).attr("height", 14).attr("aria-hidden", "true");
    mark.draw(svg);
    item.append(mark.text);
    legend.append(item);
  }
  parent.append(legend);
}

function lineMark(i) {
  return (svg) => {
    svg.append("line").attr("x1", 0).attr("x2", 28).attr("y1", 7).attr("y2", 7).attr("stroke", seriesColour(i))
      .attr("stroke-width", 2).attr("stroke-dasharray", seriesDash(i));
    svg.append("path").attr("transform", "translate(14,7)").attr("d", seriesSymbol(i, 50)).attr("fill", seriesColour(i));
  };
}

// Fills of parts of a whole: each a colour and a pattern of its own.
const fills = [
  ["#2b5c8a", ""], ["#f0b27a", "M0,8L8,0M-2,2L2,-2M6,10L10,6"], ["#a9d3a5", "M0,0L8,8M-2,6L2,10M6,-2L10,2"],
  ["#d9b8d8", "M0,4H8"], ["#9ecae1", "M4,0V8"], ["#e8d36b", "M0,4H8M4,0V8"],
  ["#d98880", "M0,8L8,0M-2,2L2,-2M6,10L10,6M0,0L8,8M-2,6L2,10M6,-2L10,2"], ["#c7c7c7", "M2,2h1M6,6h1"],
  ["#8fbcbb", "M0,2H8M0,6H8"], ["#c9a66b", "M2,0V8M6,0V8"], ["#b5b5e6", "M0,6L4,2L8,6"], ["#e6b5c4", "M4,1V7M1,4H7"],
];
let patternCount = 0;

// The fill of part `i` in this drawing; only the first is plain.
function fillOf(svg, i) {
  const n = fills.length, colour = fills[i % n][0], path = i ? fills[1 + ((i - 1 + 5 * Math.floor(i / n)) % (n - 1))][1] : "", id = "fill-" + patternCount++;
  let defs = svg.select("defs");
  if (defs.empty()) defs = svg.append("defs");
  const pattern = defs.append("pattern").attr("id", id).attr("width", 8).attr("height", 8).attr("patternUnits", "userSpaceOnUse");
  pattern.append("rect").attr("width", 8).attr("height", 8).attr("fill", colour);
  if (path) pattern.append("path").attr("d", path).attr("stroke", "#333").attr("stroke-width", 1).attr("fill", "none");
  return "url(#" + id + ")";
}

function fillMark(i) {
  return (svg) => svg.append("rect").attr("width", 28).attr("height", 14).attr("fill", i < 0 ? "#fff" : fillOf(svg, i)).attr("stroke", "#333");
}

function select(label, options, value, change) {
  const element = h("select", { onchange: () => change(element.value) },
    options.map(([key, text]) => h("option", { value: key, selected: String(key) === String(value) }, text)));
  return h("label", {}, label, element);
}
