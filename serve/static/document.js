"use strict";
// The left and right arrow keys turn the pages; a selected page is shown immediately.

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
  const way = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  const link = way && document.querySelector(`#pages a[rel="${way}"]`);
  if (link) link.click();
});

const chosen = document.querySelector("#pages select");
if (chosen) chosen.addEventListener("change", () => chosen.form.submit());
const quoted = document.querySelector("mark");
if (quoted) quoted.scrollIntoView({ block: "center" });
