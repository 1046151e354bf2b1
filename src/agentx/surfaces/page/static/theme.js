// Before anything is drawn: light or dark, as was chosen here, else as the system has it.
"use strict";
(() => {
  try {
    const chosen = localStorage.getItem("theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // Nothing is kept in this browser: the system decides.
  }
})();
