"use strict";
// What a person says of an entity, a tag or an atom; kept in the knowledge base.

const place = document.getElementById("verdicts");

for (const form of place.querySelectorAll("form[data-verdict]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { one = place.dataset.name, two = "" } = Object.fromEntries(new FormData(form));
    const reply = await fetch(`/api/kb/${encodeURIComponent(place.dataset.kb)}/verdicts`, {
      method: "POST", headers: { "content-type": "application/json" },
      body: JSON.stringify({ kind: form.dataset.verdict, one, two }),
    });
    const told = reply.ok ? say("script.verdict") : (await reply.json()).detail;
    place.querySelector("[role=status]").textContent = shown(told);
  });
}
