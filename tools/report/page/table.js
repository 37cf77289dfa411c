// A table to search and to sort, a page of rows at a time.

const pageRows = 50;

// columns: [{name, title, number, text(row), value(row)}], rows: any; options: first, the column that sorts at first, `down` with the
// largest first; mark(row): a class, or "".
function addTable(parent, columns, rows, options) {
  const { mark, first, more } = options;
  const state = { words: "", sort: first, down: Boolean(options.down), page: 0, columns };
  const body = h("tbody"), head = h("thead"), status = h("span", { class: "soft", role: "status" });
  const texts = new Map();
  const textOf = (row) => {
    if (!texts.has(row)) texts.set(row, state.columns.map((c) => c.text(row)).join(" ").toLowerCase());
    return texts.get(row);
  };
  const back = h("button", { class: "only-screen", onclick: () => { state.page--; show(); } }, "Back");
  const next = h("button", { class: "only-screen", onclick: () => { state.page++; show(); } }, "Next");
  const search = h("input", { type: "search", placeholder: options.example, "aria-label": "Search", oninput: () => { state.words = search.value; state.page = 0; show(); } });
  const order = (list) => {
    const column = state.columns.find((c) => c.name === state.sort) || state.columns[0], sign = state.down ? -1 : 1, value = column.value;
    return list.slice().sort((a, b) => {
      const x = value(a), y = value(b);
      if (x === y) return 0;
      if (x === null || x === undefined) return 1;
      if (y === null || y === undefined) return -1;
      return x < y ? -sign : sign;
    });
  };
  const sortBy = (name) => {
    state.down = state.sort === name && !state.down;
    state.sort = name;
    state.page = 0;
    show();
  };
  let memory = null;
  function show() {
    const key = [state.words, state.sort, state.down, state.columns.length].join("\n");
    if (!memory || memory.key !== key) memory = { key, list: order(rows.filter(makeFilter(state.words, state.columns, textOf))) };
    const list = memory.list, at = state.page * pageRows, shown = list.slice(at, at + pageRows);
    head.replaceChildren(h("tr", {}, state.columns.map((c) => h("th",
      { class: c.number ? "number" : "", title: c.title, "aria-sort": c.name === state.sort ? (state.down ? "descending" : "ascending") : "none" },
      h("button", { onclick: () => sortBy(c.name) }, c.label || c.name, c.name === state.sort ? (state.down ? " ▼" : " ▲") : "")))));
    body.replaceChildren(...shown.map((row) => h("tr", { class: mark ? mark(row) : "" },
      state.columns.map((c) => h("td", { class: c.number ? "number" : c.class || "" }, c.text(row))))));
    status.textContent = list.length ? "Rows " + wholeNumber(at + 1) + " to " + wholeNumber(at + shown.length) + " of " + wholeNumber(list.length) +
      (list.length < rows.length ? " (of " + wholeNumber(rows.length) + ")" : "") : "No row has that.";
    back.disabled = !state.page;
    next.disabled = at + pageRows >= list.length;
    back.hidden = next.hidden = list.length <= pageRows;
  }
  parent.append(h("div", { class: "controls" }, search), h("div", { class: "scroll" }, h("table", {}, head, body)),
    h("p", {}, status, " ", back, " ", next));
  if (more && more.length) {
    const pick = (c) => (event) => {
      state.columns = event.target.checked ? [...state.columns, c] : state.columns.filter((other) => other !== c);
      texts.clear();
      show();
    };
    parent.append(h("details", { class: "controls" }, h("summary", {}, "More columns"), h("div", { class: "columns" },
      more.map((c) => h("label", { title: c.title }, h("input", { type: "checkbox", onchange: pick(c) }), " ", c.name)))));
  }
  show();
}

// Every word must be in a row; NAME<NUMBER, NAME>NUMBER and NAME=VALUE ask a column.
function makeFilter(words, columns, textOf) {
  const tests = words.trim().split(/\s+/).filter(Boolean).map((word) => {
    const m = /^(.+?)(<=|>=|<|>|=)(.+)$/.exec(word), column = m && columns.find((c) => c.name === m[1] || c.label === m[1]);
    if (!column) return (row) => textOf(row).includes(word.toLowerCase());
    const wanted = Number(m[3].replace(/,/g, ""));
    return (row) => {
      const value = column.value(row);
      switch (m[2]) {
        case "<": return value < wanted;
        case ">": return value > wanted;
        case "<=": return value <= wanted;
        case ">=": return value >= wanted;
        default: return column.text(row).toLowerCase() === m[3].toLowerCase() || (typeof value === "number" && value === wanted);
      }
    };
  });
  return (row) => tests.every((t) => t(row));
}

function statisticColumn(s) {
  return { name: s.name, title: [s.unit, s.text].filter(Boolean).join(": "), number: true, text: (i) => figure(s.values[i]), value: (i) => s.values[i] };
}

function tableSection(page, runs, state) {
  addSection(page, "runs", "All runs", (body) => {
    const data = runs.data, role = data.roles[state.trace], some = runs.of(state.trace), varied = runs.varied(some);
    const value = runs.value(data.value.name), base = value(role.baseline);
    const columns = [{ name: "run", title: "its number in the database", number: true, text: (i) => String(data.runs[i]), value: (i) => data.runs[i] },
      ...varied.map((a) => ({ name: a.name, label: shortName(a.name), title: a.unit, text: (i) => optionText(a.values[a.of[i]], a.unit), value: (i) => a.values[a.of[i]] }))];
    const shown = [...new Set([data.value.name, "cycles", "cycles_half_width", "ipc", "occupancy"])].filter((n) => runs.columns.has(n));
    columns.push(...shown.map((n) => statisticColumn(runs.columns.get(n))));
    const first = runs.columns.has(data.value.name) ? data.value.name : "cycles";
    if (base)
      columns.splice(1 + varied.length + 1, 0, { name: "ratio", title: data.value.name + " by that of the baseline", number: true,
        text: (i) => value(i) === null ? "–" : d3.format(".3f")(value(i) / base), value: (i) => value(i) / base });
    const more = data.statistics.filter((s) => !shown.includes(s.name)).map(statisticColumn);
    addTable(body, columns, some, { first, more, example: "Search: words, or " + first + "<" + d3.format(".2r")(base || 1000),
      mark: (i) => i === role.best ? "best" : i === role.baseline ? "baseline" : "" });
  });
}
