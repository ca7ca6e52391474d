"use strict";
// Corrections of entities, tags and atoms: stored in the knowledge base, and withdrawn.

const place = document.getElementById("verdicts");

for (const form of place.querySelectorAll("form[data-verdict]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { one = place.dataset.name, two = "", where = "" } = Object.fromEntries(new FormData(form));
    const reply = await fetch(`/api/kb/${encodeURIComponent(place.dataset.kb)}/verdicts`, {
      method: "POST", headers: { "content-type": "application/json" },
      body: JSON.stringify({ kind: form.dataset.verdict, one, two, where }),
    });
    await tell(reply, "script.verdict");
  });
}

for (const button of place.querySelectorAll("button[data-undo]")) {
  button.addEventListener("click", async () => {
    const reply = await fetch(button.dataset.undo, { method: "DELETE" });
    if (reply.ok) button.disabled = true;
    await tell(reply, "script.undone");
  });
}

async function tell(reply, done) {
  const told = reply.ok ? say(done) : (await reply.json()).detail;
  place.querySelector("[role=status]").textContent = shown(told);
}
