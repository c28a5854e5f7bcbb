// What the history does beside what every page does: days in the reader's language, and a proof that is looked at again
// for as long as it is under way. It moves on without anything being committed, so the feed says nothing of it.
"use strict";

const LOOK_AGAIN_MS = 1000;
const day = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "full", timeZone: "UTC" });

function tellDays() {
  for (const time of document.querySelectorAll("time[data-day]")) {
    const text = day.format(new Date(time.dateTime));
    if (time.textContent !== text) time.textContent = text;
  }
}

let looking = false;

function underWay() {
  return document.querySelector('[data-panel="verify"] [data-running]') !== null;
}

async function lookOnce() {
  const answer = await fetch(location.href, { cache: "no-store" });
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector('[data-panel="verify"]');
  const old = document.querySelector('[data-panel="verify"]');
  if (!fresh || !old) return;
  const focused = old.contains(document.activeElement);
  old.replaceWith(document.importNode(fresh, true));
  document.dispatchEvent(new CustomEvent("page:put"));
  if (focused) document.querySelector('[data-panel="verify"] a')?.focus({ preventScroll: true });
}

async function lookAgain() {
  if (looking) return;
  looking = true;
  while (underWay()) {
    await new Promise((done) => { setTimeout(done, LOOK_AGAIN_MS); });
    // A daemon that does not answer is told of by the banner; it is looked at again.
    await lookOnce().catch(() => undefined);
  }
  looking = false;
}

function settleHistory() {
  tellDays();
  lookAgain();
}

settleHistory();
document.addEventListener("page:changed", settleHistory);
