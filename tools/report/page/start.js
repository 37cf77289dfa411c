// Reads the data and shows the report of their kind.

document.addEventListener("DOMContentLoaded", () => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const page = { main: document.getElementById("report"), nav: h("nav", { "aria-label": "Sections" }), links: {}, sections: [] };
  page.refresh = (id) => {
    for (const again of page.sections) if (!id || again.id === id) again();
  };
  document.title = data.title + " – Reprise report";
  ({ sweep: showSweep, replay: showReplay, wcet: showWcet })[data.kind](page, data);
  window.addEventListener("resize", drawAgain);
  window.addEventListener("beforeprint", drawForPaper);
  window.addEventListener("afterprint", drawAgain);
});
