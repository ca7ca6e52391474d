"use strict";
// The printed pages of an office document, starting with the page of the quoted passage.

const printed = document.getElementById("printed");
const [line, pager, sheet] = printed.children;
const [back, on] = pager.querySelectorAll("button");
let told = null;
let number = 0;

async function look() {
  line.textContent = say("script.printing");
  const { path, ...asked } = printed.dataset;
  const reply = await fetch(`${path}?${new URLSearchParams(asked)}`).catch(() => null);
  told = await reply?.json();
  if (!reply?.ok) {
    line.textContent = shown(say("script.no_picture", { reason: told?.detail ?? say("script.silent") }));
    return;
  }
  line.textContent = Number(asked.end) > Number(asked.start) && !told.found ? say("script.not_found") : "";
  turn(told.number);
}

function turn(to) {
  number = to;
  const image = sheet.querySelector("img");
  image.src = `${printed.dataset.path}/${number}.png`;
  image.alt = say("script.printed", { number, total: told.pages });
  pager.querySelector("span").textContent = image.alt;
  sheet.querySelector("svg").replaceChildren(...told.boxes.filter((box) => box.page === number).map(quotedBox));
  back.disabled = number <= 1;
  on.disabled = number >= told.pages;
  pager.hidden = told.pages < 2;
  sheet.hidden = false;
}

back.addEventListener("click", () => turn(number - 1));
on.addEventListener("click", () => turn(number + 1));
look();
