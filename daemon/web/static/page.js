// Keeps an open page true. It is told that something was committed, asks for the very page that it is, and puts what
// changed in its place: panel by panel, so that focus, selection, what is unfolded and where one has scrolled to stay.
"use strict";

const body = document.body;
const words = JSON.parse(body.dataset.words);
const language = document.documentElement.lang;
const STALE_AFTER_MS = 3000;
const SILENT_AFTER_MS = 30000;
const AGAIN_MS = 2000;
const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

// Times: absolute in the reader's own zone and, beside them, how far away they are.
const absolute = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });

function distance(at) {
  const seconds = Math.round((at - Date.now()) / 1000);
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) || UNITS.at(-1);
  return relative.format(Math.trunc(seconds / size), unit);
}

function tellTimes(root) {
  for (const time of root.querySelectorAll("time[data-when]")) {
    const at = new Date(time.dateTime);
    const text = `${absolute.format(at)} · ${distance(at)}`;
    if (time.textContent !== text) time.textContent = text;
    time.title = time.dateTime;
  }
}

// Whoever hears the buttons and does not see what stands beside them is told which line each is for.
function name(button, word) {
  button.textContent = word;
  if (!button.hasAttribute("aria-describedby")) button.setAttribute("aria-label", `${word}: ${button.dataset.copy}`);
}

// Lines to copy: the button is there only where it can do something.
function offerCopies(root) {
  if (!navigator.clipboard) return;
  for (const button of root.querySelectorAll("button[data-copy]")) {
    if (!button.textContent) name(button, words.copy);
    button.hidden = false;
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  name(button, words.copied);
  setTimeout(() => name(button, words.copy), 1500);
});

function settle(root) {
  tellTimes(root);
  offerCopies(root);
}

// A page's own script that puts something in place says so.
document.addEventListener("page:put", () => settle(document));

// The nearest thing that can be told apart from its brothers, so that focus finds it again.
function address(element) {
  if (!element || element === body) return null;
  if (element.id) return `#${CSS.escape(element.id)}`;
  const panel = element.closest("[data-panel]");
  if (!panel) return null;
  const all = [...panel.querySelectorAll(element.tagName)];
  return { panel: panel.dataset.panel, tag: element.tagName, at: all.indexOf(element) };
}

function find(where) {
  if (typeof where === "string") return document.querySelector(where);
  const panel = document.querySelector(`[data-panel="${CSS.escape(where.panel)}"]`);
  return panel && panel.querySelectorAll(where.tag)[where.at];
}

function keepUnfolded(from, to) {
  const unfolded = new Set([...from.querySelectorAll("details[open][id]")].map((one) => one.id));
  for (const one of to.querySelectorAll("details[id]")) if (unfolded.has(one.id)) one.open = true;
  const scrolled = new Map([...from.querySelectorAll("[data-scroll]")].map((one) => [one.dataset.scroll, one]));
  return () => {
    for (const one of to.querySelectorAll("[data-scroll]")) {
      const before = scrolled.get(one.dataset.scroll);
      if (before) [one.scrollLeft, one.scrollTop] = [before.scrollLeft, before.scrollTop];
    }
  };
}

// What the script itself has written (times, shown buttons) is no difference: sources are compared.
const sources = new WeakMap();

function remember(root) {
  for (const panel of root.querySelectorAll("[data-panel]")) sources.set(panel, panel.outerHTML);
}

function replace(fresh) {
  const focus = address(document.activeElement);
  const ours = [...document.querySelectorAll("[data-panel]:not([data-panel] [data-panel])")];
  const theirs = [...fresh.querySelectorAll("[data-panel]:not([data-panel] [data-panel])")];
  const same = ours.length === theirs.length && ours.every((one, at) => one.dataset.panel === theirs[at].dataset.panel);
  const pairs = same ? ours.map((one, at) => [one, theirs[at]]) : [[document.querySelector("main"), fresh.querySelector("main")],
    [document.querySelector(".truth"), fresh.querySelector(".truth")]];
  for (const [old, source] of pairs) {
    const text = source.outerHTML;
    if (sources.get(old) === text) continue;
    const put = document.importNode(source, true);
    if (!same) remember(put);
    sources.set(put, text);
    const scroll = keepUnfolded(old, put);
    old.replaceWith(put);
    settle(put);
    scroll();
  }
  document.title = fresh.title;
  if (focus && document.activeElement === body) find(focus)?.focus({ preventScroll: true });
  document.dispatchEvent(new CustomEvent("page:changed"));
}

let known = Number(body.dataset.seq);
let asking = false;
let wanted = 0;
let missed = false;

async function follow(seq) {
  wanted = seq;
  if (asking) return;
  asking = true;
  try {
    for (;;) {
      const answer = await fetch(location.href, { headers: { "X-Frontstage-Following": "1" }, cache: "no-store" });
      if (!answer.headers.has("X-Frontstage-Seq")) throw new Error("this is no page");
      replace(new DOMParser().parseFromString(await answer.text(), "text/html"));
      known = Number(answer.headers.get("X-Frontstage-Seq"));
      missed = false;
      say("live");
      // What was kept for everybody who follows may be a second old.
      if (known >= wanted) break;
      await new Promise((done) => { setTimeout(done, 1000); });
    }
  } finally {
    asking = false;
  }
}

// What could not be read is asked for again: that it was committed is told once only.
function catchUp(seq) {
  follow(seq).catch(() => {
    missed = true;
    say("stale");
    setTimeout(() => { if (missed && feed) catchUp(wanted); }, AGAIN_MS);
  });
}

// The sign of life. A feed that drops is told after a moment, so that a restart which takes no time is no alarm.
function say(state) {
  const live = document.querySelector(".live");
  if (live) live.dataset.state = state;
  document.querySelector(".stale").hidden = state !== "stale";
}

let feed = null;

// A browser holds few connections to one address: only what is looked at keeps one.
function listen() {
  let dropped = 0;
  const own = feed = new EventSource(body.dataset.live);
  // A daemon that hangs drops no connection: it is only silent.
  const again = () => { if (own === feed) { say("stale"); rest(); listen(); } };
  let silent = setTimeout(again, SILENT_AFTER_MS);
  const alive = () => {
    clearTimeout(dropped);
    clearTimeout(silent);
    [dropped, silent] = [0, setTimeout(again, SILENT_AFTER_MS)];
    if (!missed) say("live");
  };
  own.addEventListener("open", alive);
  own.addEventListener("alive", alive);
  own.addEventListener("seq", (event) => {
    missed = missed && Number(event.data) !== known;
    alive();
    // A ledger that was put back from a backup has fewer events than we know: that, too, is another state.
    if (Number(event.data) !== known) catchUp(Number(event.data));
  });
  own.addEventListener("error", () => {
    if (own !== feed) return;
    if (!dropped) dropped = setTimeout(() => { if (own === feed) say("stale"); }, STALE_AFTER_MS);
    if (own.readyState === EventSource.CLOSED) setTimeout(() => { if (own === feed) listen(); }, 2000);
  });
}

function rest() {
  feed?.close();
  feed = null;
}

remember(document);
settle(document);
setInterval(() => tellTimes(document), 10000);
if (body.dataset.at === undefined) {
  addEventListener("pagehide", rest);
  addEventListener("pageshow", (event) => { if (event.persisted) listen(); });
  document.addEventListener("visibilitychange", () => {
    rest();
    if (!document.hidden) listen();
  });
  // One that is opened behind another waits until it is looked at.
  if (!document.hidden) listen();
}
