// Elements, numbers and names.

function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  element.append(...children.flat().filter((c) => c !== null && c !== undefined));
  return element;
}

const wholeNumber = d3.format(",d");
const shortNumber = d3.format(".3~s");

// 3 digits behind the point for ratios, separators for whole numbers.
function figure(x) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (typeof x !== "number") return String(x);
  if (Number.isInteger(x)) return wholeNumber(x);
  return d3.format(Math.abs(x) >= 1000 ? ",.1f" : ",.3f")(x);
}

function percent(x) { return Number.isFinite(x) ? d3.format(".1f")(100 * x) + " %" : "–"; }

// A value of an option: bytes as machine files write them.
function optionText(value, unit) {
  if (value === null) return "none";
  if (unit === "bytes" && typeof value === "number" && value)
    for (const [letter, size] of [["G", 2 ** 30], ["M", 2 ** 20], ["K", 2 ** 10]])
      if (value % size === 0) return value / size + letter;
  return String(value);
}

// For ticks of an axis: 12,500 stays, 1,250,000 becomes 1.25M.
function tickText(x, digits = 3) {
  return Math.abs(x) >= 1e6 ? d3.format("." + digits + "~s")(x) : Number.isInteger(x) ? wholeNumber(x) : d3.format("." + (digits + 1) + "~g")(x);
}

// With as many digits as tell these ticks apart.
function tickFormat(ticks) {
  let digits = 3;
  while (digits < 12 && new Set(ticks.map((x) => tickText(x, digits))).size < ticks.length) digits++;
  return (x) => tickText(x, digits);
}

function withUnit(name, unit) { return unit && unit !== name ? name + " (" + unit + ")" : name; }

function plural(count, word) { return wholeNumber(count) + " " + word + (count === 1 ? "" : "s"); }

// "scheduler.model" is chosen by "scheduler".
function shortName(name) { return name.replace(/\.model$/, ""); }

function clip(text, most) { return text.length > most ? text.slice(0, most - 1) + "…" : text; }

function baseName(path) { return path.replace(/.*\//, ""); }
