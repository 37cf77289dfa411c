// Where everything comes from.

function pairs(list) {
  return h("div", { class: "scroll" }, h("table", {}, h("tbody", {}, list.filter((p) => p && p[1] !== null && p[1] !== undefined && p[1] !== "")
    .map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "wide" }, value))))));
}

function code(text) { return h("span", { class: "code" }, text); }

function optionsOf(title, machine) {
  const lines = Object.entries(machine.options).map(([key, value]) => key + " = " + value);
  return h("details", {}, h("summary", {}, title + ": " + machine.name + ", ", code(machine.hash.slice(0, 12)), ", all options"),
    h("p", {}, "Hash: ", code(machine.hash)), h("pre", { class: "columns" }, lines.join("\n")));
}

function madeRows(data) {
  const made = data.made;
  return [["Report", code(made.command)], ["made", made.date], ["by", made.tool], ["timing model", code(made.timing)]];
}

function licenceOf() {
  const version = d3.version ? " " + d3.version : "";
  return h("details", {}, h("summary", {}, "Charts: D3" + version + ", and its licence"), h("pre", {}, document.getElementById("licence").textContent.trim()));
}

function traceRows(t) {
  return [["Trace", t.file], ["SHA-256", code(t.sha256)], ["bytes", wholeNumber(t.bytes)],
    t.warp_instructions ? ["warp instructions", wholeNumber(t.warp_instructions)] : null, ["not whole", t.damage],
    t.module ? ["module", t.module] : null, t.module_sha256 ? ["SHA-256 of the module", code(t.module_sha256)] : null, t.tool ? ["recorded by", t.tool] : null];
}

function sweepProvenance(page, runs) {
  addSection(page, "provenance", "Where this comes from", (body) => {
    const data = runs.data, role = data.roles[0];
    body.append(pairs([...madeRows(data), ["Database", data.title],
      ["runs", plural(data.counts.done, "run") + " done" + (data.counts.failed ? ", " + wholeNumber(data.counts.failed) + " failed" : "")],
      ...data.tools.map((t) => ["replayed by", "reprise " + t.version + ", " + t.first + (t.last !== t.first ? " to " + t.last : "") + ", " + d3.format(",.1f")(t.seconds) + " s of processor time"]),
      ...data.tools.map((t) => ["their timing model", code(t.timing)]),
      ["machines", data.machine_names.map((m) => m.name + (m.machines > 1 ? " in " + wholeNumber(m.machines) + " variants" : "")).join(", ")]]));
    for (const t of data.traces) body.append(pairs(traceRows(t)));
    body.append(optionsOf("Machine of the baseline", data.machines[role.baseline_machine]));
    if (role.best_machine !== role.baseline_machine) body.append(optionsOf("Machine of the best run", data.machines[role.best_machine]));
    body.append(licenceOf());
  });
}
