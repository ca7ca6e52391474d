"use strict";
// Asks a question, shows progress, then the answer; a citation opens its page with the boxes of the quote.

const form = document.getElementById("ask");
const kb = form.dataset.kb;
const api = `/api/kb/${encodeURIComponent(kb)}`;
const part = (id) => document.getElementById(id);
let asked = null;
let opened = null;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const question = part("q").value.trim();
  if (!question) return;
  const told = [...new FormData(form)].filter(([, value]) => value.trim());
  history.replaceState(null, "", `?${new URLSearchParams(told)}`);
  ask(question);
});

async function ask(question) {
  asked?.abort();
  const mine = (asked = new AbortController());
  part("answer").replaceChildren();
  tell(say("script.looking"));
  try {
    const reply = await fetch(`${api}/ask/stream`, {
      method: "POST", signal: mine.signal, headers: { "content-type": "application/json" },
      body: JSON.stringify({ question, ...where() }),
    });
    if (!reply.ok) fail(await reply.json());
    else for await (const [name, value] of events(reply.body)) if (mine === asked) receive(name, value);
  } catch (error) {
    if (error.name !== "AbortError") fail({ detail: say("script.silent"), hint: String(error.message) });
  }
}

// The filter of documents from the form, without its empty fields.
function where() {
  const { document, folder, type, tag, since } = Object.fromEntries(new FormData(form));
  const named = { documents: document, folders: folder, types: type, tags: tag };
  const lists = Object.entries(named).filter(([, value]) => value.trim()).map(([name, value]) => [name, [value.trim()]]);
  return { ...Object.fromEntries(lists), ...(since && { since }) };
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (waiting + value).split("\n\n");
    waiting = parts.pop();
    for (const one of parts) {
      const name = /^event: (.*)$/m.exec(one);
      const data = /^data: (.*)$/m.exec(one);
      if (name && data) yield [name[1], JSON.parse(data[1])];
    }
  }
}

function receive(name, value) {
  if (name === "step") tell(say("script.going", { what: called("doing", value.role) }));
  else if (name === "text") show(value.text);
  else if (name === "problem") fail(value);
  else if (name === "answer") { tell(""); show(""); part("answer").replaceChildren(...answered(value)); }
}

function tell(text) { part("status").textContent = shown(text); }

function show(text) {
  part("partial").hidden = !text;
  part("partial").textContent = shown(text);
}

function fail(problem) {
  tell("");
  show("");
  const lines = [make("p", { class: "warn", role: "alert" }, problem.detail ?? say("script.wrong"))];
  if (problem.hint) lines.push(make("p", { class: "quiet" }, problem.hint));
  part("answer").replaceChildren(...lines);
}

function* answered(answer) {
  for (const warning of answer.warnings) yield make("p", { class: "warn" }, warning);
  const byNumber = new Map(answer.citations.map((citation) => [citation.number, citation]));
  if (answer.ending !== "answered" || !answer.claims.length) {
    const unsaid = answer.abstained && !answer.claims.length;
    yield make("p", { class: "claim" }, unsaid ? say("script.not_in_documents") : answer.text);
    if (answer.hint) yield make("p", { class: "quiet" }, answer.hint);
  } else {
    if (answer.extractive) yield make("p", { class: "quiet" }, say("script.quoted"));
    else if (answer.short) yield make("p", { class: "claim" }, make("strong", {}, answer.short));
    for (const claim of answer.claims) {
      const marks = claim.citations.filter((number) => byNumber.has(number)).map((number) => mark(byNumber.get(number)));
      yield make("p", { class: "claim" }, claim.text, " ", ...marks);
    }
  }
  for (const conflict of answer.conflicts) yield make("p", { class: "warn" }, say("script.disagree", { text: conflict }));
  if (answer.citations.length) {
    yield make("h2", {}, say(answer.ending === "answered" ? "script.sources" : "script.nearest"));
    yield make("ol", { class: "cites" }, ...answer.citations.map(cited));
  }
  if (answer.dropped.length) {
    yield make("h2", {}, say("script.dropped"));
    yield make("ul", {}, ...answer.dropped.map((line) => make("li", {}, line)));
  }
  yield make("details", { class: "trace" }, make("summary", {}, say("script.trace")), tree(answer.trace));
  if (form.dataset.say) yield saying(answer);
  const seconds = answer.seconds.toLocaleString(document.documentElement.lang, { maximumFractionDigits: 1 });
  yield make("p", { class: "quiet" }, say(answer.calls ? "script.calls" : "script.cost", { ...answer, seconds }));
}

// Feedback on the answer: right or wrong, and the expected answer; stored in the knowledge base.
function saying(answer) {
  const expected = make("input", { maxlength: 4000, autocomplete: "off" });
  const told = make("span", { role: "status", class: "quiet" });
  const citations = answer.citations.map(({ document, start, end }) => ({ document, start, end }));
  const keep = (right) => async () => {
    const reply = await fetch(`${api}/feedback`, {
      method: "POST", headers: { "content-type": "application/json" },
      body: JSON.stringify({ question: answer.question, answer: answer.text, right, expected: expected.value, citations }),
    });
    told.textContent = shown(reply.ok ? say("script.kept") : (await reply.json()).detail);
  };
  const buttons = [["right", true], ["not_right", false]].map(([name, right]) => {
    const button = make("button", { type: "button" }, say(`script.${name}`));
    button.addEventListener("click", keep(right));
    return button;
  });
  return make("p", { class: "filters" }, ...buttons, " ", make("label", {}, say("script.expected"), " ", expected), " ", told);
}

function mark(citation) {
  const button = make("button", { type: "button", class: "cite", "aria-label": say("script.source", citation) },
    `[${citation.number}]`);
  button.addEventListener("click", () => open(citation));
  return button;
}

function cited(citation) {
  const where = make("a", { href: pathOf(citation) }, citation.uri, citation.place ? `, ${citation.place}` : "");
  const lines = [mark(citation), " ", where];
  if (citation.superseded_by) lines.push(make("p", { class: "warn" }, say("script.superseded", { uri: citation.superseded_by })));
  if (citation.heading_path.length) lines.push(make("div", { class: "quiet" }, citation.heading_path.join(" › ")));
  if (citation.context) lines.push(make("div", { class: "quiet" }, citation.context));
  return make("li", {}, ...lines, make("blockquote", {}, ...quoted(citation)));
}

// The quote, with the sentences beside it.
function quoted({ before, quote, after }) {
  const beside = (text) => make("span", { class: "quiet" }, text);
  return [beside(before ? `${before} ` : ""), make("mark", {}, quote), beside(after ? ` ${after}` : "")];
}

function tree(steps) {
  return make("ul", {}, ...steps.map((step) => {
    const score = step.score === null ? "" : `${step.score.toFixed(2)} `;
    const line = `${score}${step.kind === "round" ? "" : `${called("step", step.kind)}: `}${step.text}`;
    if (!step.steps.length) return make("li", {}, line);
    return make("li", {}, make("details", {}, make("summary", {}, line), tree(step.steps)));
  }));
}

function pathOf(citation) {
  return documentPath(kb, citation.document, { start: citation.start, end: citation.end });
}

async function open(citation) {
  const mine = (opened = {});
  part("source-title").textContent = shown(citation.title || citation.uri);
  part("source-place").textContent = shown([citation.uri, citation.place].filter(Boolean).join(", "));
  part("source-context").textContent = shown(citation.context);
  part("source-context").hidden = !citation.context;
  part("source-quote").replaceChildren(...quoted(citation));
  part("source-open").href = pathOf(citation);
  part("source-sheet").hidden = true;
  part("source-note").textContent = say("script.printing");
  part("source").showModal();
  const page = (await ownPage(citation)) ?? (await printedPage(citation));
  if (mine !== opened) return;
  part("source-note").textContent = page.picture ? "" : shown(say("script.no_picture", page));
  if (!page.picture) return;
  part("source-boxes").replaceChildren(...page.boxes.filter((box) => box.page === page.number).map(quotedBox));
  part("source-page").alt = say("script.picture", page);
  part("source-page").onerror = () => {
    part("source-sheet").hidden = true;
    part("source-note").textContent = say("script.gone");
  };
  part("source-page").src = `${api}/${page.picture}`;
  part("source-sheet").hidden = false;
}

// The image of the citation's page; null if it cannot be drawn.
async function ownPage(citation) {
  const number = citation.boxes.length ? citation.boxes[0].page : citation.page;
  if (!number) return null;
  const told = await get(`documents/${encodeURIComponent(citation.document)}/pages/${number}`);
  return told.page?.picture ? { number, picture: told.page.picture, boxes: citation.boxes } : null;
}

// The printed page of an office document, or the reason why there is none.
async function printedPage({ document, start, end, page }) {
  const asked = new URLSearchParams({ start, end, page: page ?? 0 });
  const told = await get(`documents/${encodeURIComponent(document)}/printed?${asked}`);
  return { reason: told.detail, ...told };
}

async function get(path) {
  try {
    return await (await fetch(`${api}/${path}`)).json();
  } catch {
    return { detail: say("script.silent") };
  }
}

if (part("q").value.trim()) ask(part("q").value.trim());
