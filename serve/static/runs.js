"use strict";
// Uploads files, starts an ingest, and shows its progress.

const place = document.getElementById("changing");
const api = `/api/kb/${encodeURIComponent(place.dataset.kb)}`;
const part = (id) => document.getElementById(id);

part("send").addEventListener("submit", async (event) => {
  event.preventDefault();
  const below = part("below").value.trim().replace(/^\/+|\/+$/g, "");
  const files = [...part("files").files, ...part("folder").files];
  const refused = [];
  for (const [number, file] of files.entries()) {
    tell(say("script.sending", { number: number + 1, total: files.length, name: file.name }));
    const path = [below, file.webkitRelativePath || file.name].filter(Boolean).join("/");
    const reply = await fetch(`${api}/files/${path.split("/").map(encodeURIComponent).join("/")}`,
      { method: "PUT", body: file }).catch(() => null);
    if (!reply?.ok) refused.push(`${path}: ${reply ? (await reply.json()).detail : say("script.silent")}`);
  }
  tell(say("script.taken", { count: files.length - refused.length, total: files.length }));
  part("trouble").replaceChildren(...refused.map((line) => make("li", { class: "warn" }, line)));
  part("send").reset();
});

part("start").addEventListener("click", async () => {
  part("trouble").replaceChildren();
  const reply = await fetch(`${api}/ingest`, { method: "POST" });
  if (reply.ok) follow();
  else tell((await reply.json()).detail);
});

part("stop").addEventListener("click", () => fetch(`${api}/ingest`, { method: "DELETE" }));

function follow() {
  const source = new EventSource(`${api}/ingest/events`);
  source.addEventListener("job", (event) => {
    const job = JSON.parse(event.data);
    show(job);
    if (job.state === "running") return;
    source.close();
    if (job.state === "done") location.reload();
  });
  source.onerror = () => source.close();
}

function show(job) {
  const running = job.state === "running";
  const ended = (job.ends.done ?? 0) + (job.ends.failed ?? 0);
  part("start").disabled = running;
  part("stop").disabled = !running;
  part("done").hidden = !running;
  part("done").max = Math.max(1, job.total, ended);
  part("done").value = ended;
  const counts = Object.entries(job.ends).map(([end, count]) => `${count} ${called("end", end)}`).join(", ");
  tell(running ? [say("script.progress", { done: ended, total: job.total || "?" }), counts,
    `${called("stage", job.stage)} ${job.subject}`].filter(Boolean).join("; ")
    : job.state === "failed" ? [job.problem, job.hint].filter(Boolean).join(": ") : say(`script.ended_${job.state}`));
}

function tell(text) { part("told").textContent = shown(text); }

if ("running" in place.dataset) follow();
