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
    draw(given) {
      const width = given || Math.max(280, Math.floor(place.clientWidth || 1060));
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

// On paper letters shall be as large as those of the text.
const paperWidth = 720;
function drawForPaper() { for (const d of drawings) if (d.place.isConnected) d.draw(paperWidth); }

// The width in pixels of a label (12 px, as page.css says), and as much of a label as fits into so many pixels.
const measure = document.createElement("canvas").getContext("2d");
function labelWidth(text) {
  measure.font = "12px " + getComputedStyle(document.body).fontFamily;
  return measure.measureText(text).width;
}
function widestLabel(some) { return d3.max(some, (s) => labelWidth(s.text)); }
function fitLabel(text, width) {
  let most = text.length;
  while (most > 1 && labelWidth(clip(text, most)) > width) most--;
  return clip(text, most);
}

function isNarrow(width) { return width < 560; }

function ticksOf(axis, ticks, values) { return values ? axis.tickValues(values) : axis.ticks(ticks || 6); }
function tickTextOf(scale, ticks, values) { return tickFormat(values || (scale.ticks ? scale.ticks(ticks || 6) : [])); }

// What is left of a left axis: its labels, and a title above them.
function leftRoom(scale, ticks, format, values) {
  return Math.max(64, 16 + d3.max(values || scale.ticks(ticks), (v) => labelWidth((format || tickTextOf(scale, ticks, values))(v))));
}

// values: where the ticks are, if not at `ticks` round numbers.
function leftAxis(svg, scale, x, width, label, ticks, format, values) {
  svg.append("g").attr("class", "grid").attr("transform", "translate(" + x + ",0)")
    .call(ticksOf(d3.axisLeft(scale), ticks, values).tickSize(-width).tickFormat(""));
  svg.append("g").attr("transform", "translate(" + x + ",0)").call(ticksOf(d3.axisLeft(scale), ticks, values).tickFormat(format || tickTextOf(scale, ticks, values)));
  svg.append("text").attr("class", "title").attr("x", 0).attr("y", 12).text(label);
}

function bottomAxis(svg, scale, y, height, label, right, ticks, format, values) {
  svg.append("g").attr("class", "grid").attr("transform", "translate(0," + y + ")")
    .call(ticksOf(d3.axisBottom(scale), ticks, values).tickSize(-height).tickFormat(""));
  const axis = svg.append("g").attr("transform", "translate(0," + y + ")")
    .call(ticksOf(d3.axisBottom(scale), ticks, values).tickFormat(format || tickTextOf(scale, ticks, values)));
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

// Fills of parts of a whole: each a colour and a hatching of its own. Hatchings are lines, not patterns of SVG, of which browsers
// make large pictures when they print.
const fillColours = ["#2b5c8a", "#f0b27a", "#a9d3a5", "#d9b8d8", "#9ecae1", "#e8d36b", "#d98880", "#d4d4d4", "#8fbcbb", "#c9a66b", "#b5b5e6", "#e6b5c4"];
const hatchings = ["", "/", "\\", "-", "|", "-|", "/\\", ".", "=", "!", "/-", "\\|"];
const hatchSteps = { "/": 8, "\\": 8, "-": 6, "|": 6, "=": 3.5, "!": 3.5, ".": 5 };

// The lines of one kind within a rectangle.
function hatch(kind, x, y, width, height) {
  const step = hatchSteps[kind], right = x + width, bottom = y + height, path = [];
  const each = (low, high, line) => { for (let at = Math.ceil(low / step) * step; at < high; at += step) path.push(line(at)); };
  const move = (x1, y1, x2, y2) => "M" + x1.toFixed(1) + "," + y1.toFixed(1) + "L" + x2.toFixed(1) + "," + y2.toFixed(1);
  if (kind === "-" || kind === "=") each(y, bottom, (at) => move(x, at, right, at));
  if (kind === "|" || kind === "!") each(x, right, (at) => move(at, y, at, bottom));
  if (kind === "/") each(x + y, right + bottom, (at) => move(Math.max(x, at - bottom), at - Math.max(x, at - bottom), Math.min(right, at - y), at - Math.min(right, at - y)));
  if (kind === "\\") each(x - bottom, right - y, (at) => move(Math.max(x, at + y), Math.max(x, at + y) - at, Math.min(right, at + bottom), Math.min(right, at + bottom) - at));
  if (kind === ".") each(y, bottom, (row) => { for (let at = Math.ceil(x / step) * step; at < right - 1; at += step) path.push(move(at, row, at + 1, row)); return ""; });
  return path.join("");
}

// A rectangle with fill `i`: only the first is plain; below 0: empty. Returns the group, for a title.
function fillRect(svg, i, x, y, width, height) {
  const n = fillColours.length, group = svg.append("g");
  const kinds = i > 0 ? hatchings[1 + ((i - 1 + 5 * Math.floor(i / n)) % (n - 1))] : "";
  group.append("rect").attr("x", x).attr("y", y).attr("width", Math.max(0, width)).attr("height", height)
    .attr("fill", i < 0 ? "#fff" : fillColours[i % n]).attr("stroke", "#333").attr("stroke-width", width > 1 ? 0.5 : 0);
  const lines = width > 1.5 ? [...kinds].map((k) => hatch(k, x, y, width, height)).join("") : "";
  if (lines) group.append("path").attr("d", lines).attr("stroke", "#333").attr("stroke-width", 0.8).attr("fill", "none");
  return group;
}

function fillMark(i) { return (svg) => fillRect(svg, i, 0.5, 0.5, 27, 13); }

function select(label, options, value, change) {
  const element = h("select", { onchange: () => change(element.value) },
    options.map(([key, text]) => h("option", { value: key, selected: String(key) === String(value) }, text)));
  return h("label", {}, label, element);
}
