"use strict";
// Names of languages in the language of the page, where the server wrote their codes (ISO 639).

const NAMES = new Intl.DisplayNames([document.documentElement.lang], { type: "language" });

for (const written of document.querySelectorAll("[data-language]")) {
  const code = written.dataset.language;
  if (/^[a-z]{2,3}$/.test(code)) written.textContent = NAMES.of(code);
}
