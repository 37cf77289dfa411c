// Looks at a report in a browser, uses it, and leaves what it saw as JSON in an element: check reads it from the document.
window.addEventListener("load", () => {
  const seen = { faults: [], sections: {}, used: {} };
  const fault = (text) => seen.faults.push(text);
  const all = (selector, root) => [...(root || document).querySelectorAll(selector)];

  function visible() {
    return all("main section").filter((s) => !s.hidden);
  }

  // A text that is cut off by its drawing, or that lies on another.
  function lookAtTexts(section) {
    for (const svg of all("figure svg", section)) {
      const name = section.id + ": " + svg.getAttribute("aria-label"), frame = svg.getBoundingClientRect();
      const texts = all("text", svg).filter((t) => t.textContent).map((t) => ({ text: t.textContent, turned: t.hasAttribute("transform"), box: t.getBoundingClientRect() }));
      for (const t of texts)
        if (t.box.left < frame.left - 2 || t.box.right > frame.right + 2 || t.box.top < frame.top - 2 || t.box.bottom > frame.bottom + 2) fault(name + ": '" + t.text + "' is cut off");
      const upright = texts.filter((t) => !t.turned);
      upright.forEach((a, i) => {
        for (const b of upright.slice(i + 1)) {
          const width = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left), height = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
          if (width > 1 && height > 4) fault(name + ": '" + a.text + "' lies on '" + b.text + "'");
        }
      });
      for (const axis of new Set(all(".tick", svg).map((t) => t.parentNode))) {
        const ticks = all(".tick text", axis).map((t) => t.textContent).filter(Boolean), twice = ticks.find((t, i) => ticks.indexOf(t) < i);
        if (twice) fault(name + ": two ticks are '" + twice + "'");
      }
      if (!all("path, rect, circle", svg).length) fault(name + ": nothing is drawn");
    }
  }

  function look(when) {
    for (const section of visible()) {
      if (section.offsetHeight < 60) fault(when + ": section " + section.id + " is empty");
      lookAtTexts(section);
      const bad = /NaN|undefined|Infinity|\[object/.exec(section.innerHTML);
      if (bad) fault(when + ": section " + section.id + " has " + bad[0]);
      seen.sections[section.id] = { figures: all("figure svg", section).length, tables: all("table", section).length };
    }
    if (document.documentElement.scrollWidth > window.innerWidth) fault(when + ": the page is " + document.documentElement.scrollWidth + " wide in a window of " + window.innerWidth);
    const links = all("nav a").filter((a) => a.offsetWidth).map((a) => a.getAttribute("href"));
    if (links.join() !== visible().map((s) => "#" + s.id).join()) fault(when + ": the links are " + links.join());
  }

  function rows(id) {
    return all("#" + id + " tbody tr").map((r) => all("td", r).map((c) => c.textContent));
  }

  function choose(element, value) {
    element.value = value;
    element.dispatchEvent(new Event("change"));
  }

  function search(id, words) {
    const input = document.querySelector("#" + id + " input[type=search]");
    input.value = words;
    input.dispatchEvent(new Event("input"));
    return { count: rows(id).length, status: document.querySelector("#" + id + " [role=status]").textContent };
  }

  function useTable(id, column, words) {
    const used = { first: rows(id).slice(0, 5) };
    const button = () => all("#" + id + " th button").find((b) => b.textContent.replace(/ [▲▼]/, "") === column);
    button().click();
    used.sorted = rows(id).slice(0, 5);
    button().click();
    used.turned = rows(id).slice(0, 5);
    used.found = words.map((w) => search(id, w));
    search(id, "");
    const more = document.querySelector("#" + id + " details input");
    if (more) {
      const before = all("#" + id + " th").length;
      more.click();
      if (all("#" + id + " th").length !== before + 1) fault(id + ": no column was added");
    }
    return used;
  }

  look("at first");
  const table = window.lookAt;
  seen.used.heat = all("#heat figure g > text.label").map((t) => t.textContent);
  seen.used.front = rows("pareto").map((r) => r[1]);
  if (document.getElementById(table.id)) seen.used.table = useTable(table.id, table.column, table.words);
  // Every choice of every list, without a fault.
  for (const id of visible().map((s) => s.id))
    for (let n = 0; n < all("#" + id + " .controls select").length; n++)
      for (const value of [...document.querySelectorAll("#" + id + " .controls select")[n].options].map((o) => o.value).slice(0, 6)) {
        const list = document.querySelectorAll("#" + id + " .controls select")[n];
        if (list && [...list.options].some((o) => o.value === value)) choose(list, value);
        lookAtTexts(document.getElementById(id));
      }
  look("after all choices");
  document.body.append(Object.assign(document.createElement("pre"), { id: "seen", textContent: JSON.stringify(seen) }));
});
