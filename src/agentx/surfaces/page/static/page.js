// What the page does beyond links and forms: everything here has a way without it.
"use strict";
(() => {
  const $ = (wanted, from = document) => from.querySelector(wanted);
  const all = (wanted, from = document) => [...from.querySelectorAll(wanted)];
  const say = (words) => { const place = $("#said"); if (place) place.textContent = words; };
  const GONE = "The page's process does not answer: it has ended, or another one took its place. What you wrote stays in this window; copy it before you close it. agentx view opens the page anew.";
  const warn = (words) => { const place = $("#gone"); if (place) { place.textContent = words; place.hidden = !words; } };

  // A piece of a page, as this server draws it.
  async function fetchPart(address, signal) {
    let answer;
    try {
      answer = await fetch(address, { headers: { "X-Part": "1" }, signal, credentials: "same-origin" });
    } catch (error) {
      throw error.name === "AbortError" ? error : new Error(GONE);
    }
    if (answer.status === 403) throw new Error(GONE);
    return answer.text();
  }
  const read = (text) => document.adoptNode(new DOMParser().parseFromString(text, "text/html").body);
  const put = (place, text) => place.replaceChildren(...read(text).childNodes);

  // What is drawn anew takes the place of what differs, and of nothing else: the focus, what was
  // opened, what is marked and where one reads stay. A thing is known by what it leads to.
  const LEADS = "[id], [data-event], [data-part], a[href], form[action]";
  function nameOf(node) {
    if (node.nodeType !== Node.ELEMENT_NODE) return node.nodeName;
    const leads = node.matches(LEADS) ? node : node.matches("li, tr, p, details") ? $(LEADS, node) : $(":scope > h2 a[href]", node);
    const told = leads ? leads.id || leads.dataset.event || leads.dataset.part || leads.getAttribute("href") || leads.getAttribute("action") : "";
    // A place with a heading is known by that, whatever numbers it says; others by their kind.
    return `${node.nodeName} ${told || ($(":scope > h2", node)?.textContent || node.className).replace(/\d+/g, "")}`;
  }
  function mend(old, made) {
    if (old.nodeType !== Node.ELEMENT_NODE) { if (old.data !== made.data) old.data = made.data; return; }
    if (old.isEqualNode(made) || "done" in old.dataset) return;
    for (const { name } of [...old.attributes]) if (!made.hasAttribute(name) && name !== "open") old.removeAttribute(name);
    for (const { name, value } of made.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    mendInside(old, made);
  }
  function mendInside(old, made) {
    const known = new Map();
    for (const each of old.childNodes) {
      const name = nameOf(each);
      if (known.has(name)) known.get(name).push(each); else known.set(name, [each]);
    }
    let next = old.firstChild;
    for (const each of [...made.childNodes]) {
      const same = known.get(nameOf(each))?.shift();
      if (!same) { old.insertBefore(each, next); continue; }
      if (same === next) next = next.nextSibling; else old.insertBefore(same, next);
      mend(same, each);
    }
    for (const each of [...known.values()].flat()) each.remove();
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
  let sending;
  addEventListener("input", (event) => {
    const field = event.target, form = field.form;
    if (!form || !field.matches("[data-send]")) return;
    const shown = $("output", form);
    if (shown && field.type === "range") shown.textContent = dayOf(field);
    clearTimeout(sending);
    sending = setTimeout(() => form.requestSubmit(), field.type === "range" ? 400 : 0);
  });
  function dayOf(range) {
    const at = new Date(`${range.dataset.first}T12:00:00Z`);
    at.setUTCDate(at.getUTCDate() + Number(range.value));
    return at.toISOString().slice(0, 10);
  }
  addEventListener("toggle", (event) => { if (event.target.open) openPart(event.target); }, true);

  // A form is sent to a server that answers, and once; else what is written in it stays.
  const FORM_CHARS_MAX = 500000;
  let leaving = false;
  async function answers() {
    try { return (await fetch("/static/icon.svg", { method: "HEAD", cache: "no-store" })).ok; } catch { return false; }
  }
  addEventListener("submit", async (event) => {
    const form = event.target;
    if (form.method !== "post") return;
    event.preventDefault();
    if (form.dataset.sent) return;
    if (`${new URLSearchParams(new FormData(form))}`.length > FORM_CHARS_MAX) {
      warn("Not sent: this is longer than the page takes at once. Say it in fewer words.");
      return;
    }
    form.dataset.sent = "1";
    setTimeout(() => { delete form.dataset.sent; leaving = false; }, 3000);
    if (!await answers()) { delete form.dataset.sent; warn(GONE); return; }
    warn("");
    leaving = true;
    form.submit();
  });
  const written = (from) => all("textarea, input:not([type=hidden])", from).some((each) => each.value !== each.defaultValue);
  addEventListener("beforeunload", (event) => {
    // What was refused stands in its field as this server drew it, and is said nowhere yet.
    const unsaid = $("main .failure[role=alert]") && all("form[method=post] textarea").some((each) => each.value);
    if (!leaving && (unsaid || all("form[method=post]").some(written))) event.preventDefault();
  });

  // One stream tells what changed, for all windows of this page: a browser opens six connections
  // at most. Who has the lock follows and tells the others; what shows it is asked for anew.
  const parts = () => all("[data-live]");
  let begun = false;
  function hear({ changed = [], begun: begins = false, gone = false }) {
    warn(gone ? GONE : "");
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
    if (!(parts().length || $("form[method=post]")) || !window.EventSource) return;
    const others = new BroadcastChannel("agentx-live");
    others.addEventListener("message", (event) => hear(event.data));
    const lead = () => new Promise((leave) => {
      const stream = new EventSource("/live");
      const tell = (told) => { hear(told); others.postMessage(told); };
      stream.addEventListener("changed", (event) => tell(JSON.parse(event.data)));
      stream.addEventListener("error", async () => { if (!await answers() && !leaving) tell({ gone: true }); });
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
  const STOPS = "a[href], button, summary, input, select, textarea, [tabindex]";
  // Stand where one stood: at what leads there now, else at what stands in its place.
  function stand(part, here, at) {
    const stops = all(STOPS, part);
    const alike = stops.filter((each) => nameOf(each) === nameOf(here));
    for (const each of [here, ...alike, ...stops.slice(at), ...stops.slice(0, at).reverse(), $("#content")]) {
      each.focus({ preventScroll: true });
      if (document.activeElement === each) return;
    }
  }
  async function renew(part) {
    if (busy.has(part) || part.contains(document.activeElement) && document.activeElement.matches("input,textarea,select")) return;
    if (written(part)) return; // somebody writes there
    busy.add(part);
    try {
      const made = read(await fetchPart(part.dataset.live));
      const here = document.activeElement;
      const at = part.contains(here) ? all(STOPS, part).indexOf(here) : -1;
      mendInside(part, made);
      if (at >= 0 && document.activeElement !== here) stand(part, here, at);
    } catch (error) { say(String(error.message || error)); } finally { busy.delete(part); }
  }
  async function grow(part) {
    if (busy.has(part)) return;
    busy.add(part);
    try {
      const address = new URL(part.dataset.live, location.href);
      const last = all("[data-event]", part).pop();
      if (last) address.searchParams.set("after", last.dataset.event);
      const added = [...read(await fetchPart(address.pathname + address.search)).children];
      const atEnd = innerHeight + scrollY > document.body.scrollHeight - 80;
      for (const each of added) { each.classList.add("grown"); part.append(each); }
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

  wakeTheme();
  if ($("#q")) wakeFinder($("#q"));
  follow();
})();
