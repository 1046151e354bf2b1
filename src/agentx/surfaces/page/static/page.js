// What the page does beyond links and forms: everything here has a way without it.
"use strict";
(() => {
  const $ = (wanted, from = document) => from.querySelector(wanted);
  const all = (wanted, from = document) => [...from.querySelectorAll(wanted)];
  const say = (words) => { const place = $("#said"); if (place) place.textContent = words; };

  // A piece of a page, as this server draws it.
  async function fetchPart(address, signal) {
    const answer = await fetch(address, { headers: { "X-Part": "1" }, signal, credentials: "same-origin" });
    if (answer.status === 403) throw new Error("the page has ended, or another one took its place");
    return answer.text();
  }
  function put(place, text) {
    const made = new DOMParser().parseFromString(text, "text/html");
    place.replaceChildren(...document.adoptNode(made.body).childNodes);
    wake(place);
  }

  // Proofs open in their place.
  function openPart(details) {
    const place = $("[data-part]", details);
    if (!place || place.dataset.done) return;
    place.dataset.done = "1";
    place.textContent = "...";
    fetchPart(place.dataset.part).then((text) => put(place, text), (error) => {
      delete place.dataset.done;
      place.textContent = String(error.message || error);
    });
  }

  // Search answers while one types.
  function wakeFinder(field) {
    const place = $("#found");
    if (!place) return;
    let waiting, asking;
    field.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(async () => {
        if (asking) asking.abort();
        asking = new AbortController();
        const address = new URL(location.href);
        address.searchParams.set("q", field.value);
        address.searchParams.delete("page");
        try {
          const text = await fetchPart(address.pathname + address.search, asking.signal);
          history.replaceState(null, "", address);
          put(place, text);
          say(`${all("[data-hit]", place).length} found`);
        } catch (error) {
          if (error.name !== "AbortError") say(String(error.message || error));
        }
      }, 150);
    });
  }

  // What a field decides is asked for as it is moved.
  function wakeSender(form) {
    let waiting;
    form.addEventListener("input", (event) => {
      if (!event.target.matches("[data-send]")) return;
      const shown = $("output", form);
      if (shown && event.target.type === "range") shown.textContent = dayOf(event.target);
      clearTimeout(waiting);
      waiting = setTimeout(() => form.requestSubmit(), event.target.type === "range" ? 400 : 0);
    });
  }
  function dayOf(range) {
    const at = new Date(`${range.dataset.first}T12:00:00Z`);
    at.setUTCDate(at.getUTCDate() + Number(range.value));
    return at.toISOString().slice(0, 10);
  }

  function wake(from) {
    all("details", from).forEach((each) => each.addEventListener("toggle", () => each.open && openPart(each)));
    all("form", from).forEach(wakeSender);
  }

  // One stream tells what changed, for all windows of this page: a browser opens six connections
  // at most. Who has the lock follows and tells the others; what shows it is asked for anew.
  const parts = () => all("[data-live]");
  let begun = false;
  function hear({ changed = [], begun: begins = false }) {
    if (begins) {
      // What came since this page was made; after a while without the stream, all of it.
      for (const part of parts()) if ("grow" in part.dataset) grow(part); else if (begun) renew(part);
      begun = true;
    }
    for (const part of parts()) {
      const wanted = part.dataset.of;
      if (changed.length === 0 || wanted !== "*" && !changed.includes(wanted)) continue;
      if ("grow" in part.dataset) grow(part); else renew(part);
    }
  }
  function follow() {
    if (!parts().length || !window.EventSource) return;
    const others = new BroadcastChannel("agentx-live");
    others.addEventListener("message", (event) => hear(event.data));
    const lead = () => new Promise((leave) => {
      const stream = new EventSource("/live");
      stream.addEventListener("changed", (event) => {
        const told = JSON.parse(event.data);
        hear(told);
        others.postMessage(told);
      });
      addEventListener("pagehide", () => { stream.close(); leave(); });
    });
    if (!navigator.locks) { lead(); return; }
    navigator.locks.request("agentx-live", { ifAvailable: true }, (lock) => {
      if (lock) return lead();
      hear({ begun: true });
      navigator.locks.request("agentx-live", lead); // once the other one has left
    });
  }
  const busy = new WeakSet();
  async function renew(part) {
    if (busy.has(part) || part.contains(document.activeElement) && document.activeElement.matches("input,textarea,select")) return;
    if (all("input, textarea", part).some((each) => each.value !== each.defaultValue)) return; // somebody writes there
    if ($("details[open]", part)) return; // somebody reads there
    busy.add(part);
    try { put(part, await fetchPart(part.dataset.live)); } catch (error) { say(String(error.message || error)); } finally { busy.delete(part); }
  }
  async function grow(part) {
    if (busy.has(part)) return;
    busy.add(part);
    try {
      const address = new URL(part.dataset.live, location.href);
      const last = all("[data-event]", part).pop();
      if (last) address.searchParams.set("after", last.dataset.event);
      const made = new DOMParser().parseFromString(await fetchPart(address.pathname + address.search), "text/html");
      const added = [...document.adoptNode(made.body).children];
      const atEnd = innerHeight + scrollY > document.body.scrollHeight - 80;
      for (const each of added) { each.classList.add("grown"); part.append(each); wake(each); }
      if (added.length) { say(`${added.length} more`); if (atEnd) scrollTo(0, document.body.scrollHeight); }
    } catch (error) { say(String(error.message || error)); } finally { busy.delete(part); }
  }

  // Keys: / searches; in a session e is the next error, c the next commit, p the next prompt, with Shift the one before.
  function step(wanted, back) {
    const found = all(`.turn.${wanted}`);
    if (!found.length) { say(`no ${wanted} here`); return; }
    const now = $(".turn.here");
    const at = now ? found.findIndex((each) => each === now || now.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING) : 0;
    let next = at < 0 ? found.length : at;
    if (now && found[next] === now) next += back ? -1 : 1; else if (back) next -= 1;
    const to = found[(next + found.length) % found.length];
    if (now) now.classList.remove("here");
    to.classList.add("here");
    to.tabIndex = -1;
    to.focus({ preventScroll: true });
    to.scrollIntoView({ block: "center" });
  }
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const kinds = { e: "error", c: "commit", p: "prompt" };
    const key = event.key.toLowerCase();
    if (event.key === "/") { event.preventDefault(); $("#q").focus(); $("#q").select(); }
    else if (key in kinds && $(".turn")) step(kinds[key], event.shiftKey);
  });

  function wakeTheme() {
    const button = $("#theme");
    if (!button) return;
    button.hidden = false;
    button.addEventListener("click", () => {
      const isDark = (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
      document.documentElement.dataset.theme = isDark ? "light" : "dark";
      try { localStorage.setItem("theme", isDark ? "light" : "dark"); } catch { /* for this page alone */ }
      say(isDark ? "light" : "dark");
    });
  }

  wake(document);
  wakeTheme();
  if ($("#q")) wakeFinder($("#q"));
  follow();
})();
