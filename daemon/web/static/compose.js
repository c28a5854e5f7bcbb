// Composes a line as one types. Nothing that is typed leaves the browser; only another goal is looked up, when chosen.
"use strict";

(() => {
  const form = document.getElementById("composer");
  if (!form) return;
  const root = form.parentElement;
  const texts = JSON.parse(form.dataset.texts);
  const fields = [...form.querySelectorAll("[data-field]")];
  const byName = new Map(fields.map((field) => [field.dataset.field, field]));
  const line = document.getElementById("line");
  const copy = document.getElementById("copy");
  const told = document.getElementById("told");
  const moved = document.getElementById("moved");
  const renew = document.getElementById("renew");
  const touched = new Set();
  let ours = "";
  let ofSeq = 0;

  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  const control = (field) => field.querySelector("input, select, textarea");

  // What stands in a field, as a list of values; nothing stands for a flag that is left out.
  function values(field) {
    const kind = field.dataset.kind;
    if (kind === "choices") return [...field.querySelectorAll("input:checked")].map((one) => one.value);
    const input = control(field);
    if (kind === "switch") return input.checked ? [true] : [];
    if (kind === "list" || kind === "objects") return input.value.split("\n").filter((one) => one.trim() !== "");
    return input.value === "" ? [] : [input.value];
  }

  function said(name, limits = {}) {
    return fill(texts[name], limits);
  }

  function wrongText(field, text) {
    const { least, most, pattern } = field.dataset;
    const length = [...text].length;
    if (text.includes("\0")) return said("nul");
    if (/\p{Surrogate}/u.test(text)) return said("unicode");
    if (Number(least) > 0 && text.trim() === "") return said("empty");
    if (length < Number(least)) return said("chars_min", { limit: least });
    if (most !== undefined && length > Number(most)) return said("chars_max", { limit: most });
    if (pattern && !new RegExp(pattern, "u").test(text)) return said("pattern", { pattern });
    if (!frontstageLine.fits(field.dataset.flag, text)) return said("word");
    return "";
  }

  function wrongNumber(field, text) {
    const { low, high } = field.dataset;
    if (!/^-?\d{1,16}$/.test(text)) return said("integer");
    if (low !== undefined && Number(text) < Number(low)) return said("at_least", { limit: low });
    if (high !== undefined && Number(text) > Number(high)) return said("at_most", { limit: high });
    return "";
  }

  function wrongObject(field, text) {
    try {
      const value = JSON.parse(text);
      if (value === null || typeof value !== "object" || Array.isArray(value)) return said("object");
    } catch {
      return said("json");
    }
    return wrongText(field, text);
  }

  function wrong(field, given) {
    const { kind, items } = field.dataset;
    if (given.length === 0) return "";
    if (items !== undefined && given.length > Number(items)) return said("items_max", { limit: items });
    const check = { integer: wrongNumber, objects: wrongObject, switch: () => "" }[kind] || wrongText;
    return given.map((one) => check(field, one)).find((problem) => problem) || "";
  }

  function tell(field, problem) {
    const place = field.querySelector(".problem");
    place.textContent = problem;
    place.hidden = !problem;
    const input = control(field);
    if (problem) input.setAttribute("aria-invalid", "true"); else input.removeAttribute("aria-invalid");
  }

  // The line as it is copied, with its flags kept whole where it is broken to fit.
  function show(words) {
    const parts = words.flatMap((text, at) => {
      const [, flag, value] = text.match(/^(--[a-z-]+)([^]*)$/) || [null, text, ""];
      const mark = document.createElement("span");
      mark.textContent = flag;
      return [at ? " " : "", mark, value];
    });
    line.replaceChildren(...parts);
  }

  function draw() {
    const words = [form.dataset.command];
    const missing = [];
    let broken = 0;
    for (const field of fields) {
      const given = values(field);
      const { flag } = field.dataset;
      const isMissing = given.length === 0 && "required" in field.dataset;
      const problem = wrong(field, given);
      if (problem) broken += 1;
      tell(field, problem || (isMissing && touched.has(field) ? said("missing") : ""));
      if (isMissing) {
        missing.push(flag);
        words.push(`${flag} <${flag.slice(2)}>`);
      }
      for (const one of given) words.push(one === true ? flag : frontstageLine.flagged(flag, one));
    }
    copy.dataset.copy = words.join(" ");
    show(words);
    copy.disabled = broken > 0 || missing.length > 0;
    const state = byName.has("basis") && values(byName.get("basis")).length && ofSeq ? ` ${fill(texts.of_state, { seq: ofSeq })}` : "";
    const isPassed = !moved.hidden;
    told.dataset.state = copy.disabled || isPassed ? "open" : "ready";
    const whole = isPassed ? texts.passed : texts.ready;
    const now = broken ? texts.wrong : missing.length ? fill(texts.needs, { names: missing.join(", ") }) : whole;
    if (told.textContent !== now + state) told.textContent = now + state;
  }

  // The basis of what this decision is about, as the ledger has it now; undefined where there is none.
  function basisNow() {
    const of = document.getElementById("compose-of");
    if (!of) return { basis: undefined, seq: 0 };
    const subject = byName.get(form.dataset.subject);
    const about = subject ? control(subject).value : "";
    return { basis: JSON.parse(of.dataset.bases)[about], seq: Number(of.dataset.seq) };
  }

  function take() {
    const { basis, seq } = basisNow();
    control(byName.get("basis")).value = ours = basis || "";
    ofSeq = basis ? seq : 0;
  }

  // What one has begun to write stays as it was written for; whoever wants the new state takes it over by hand.
  function compare() {
    if (!byName.has("basis") || "past" in form.dataset) return;
    const { basis } = basisNow();
    const held = control(byName.get("basis")).value;
    const isStale = held !== "" && held !== basis;
    moved.hidden = !isStale;
    moved.querySelector("span").textContent = basis ? texts.moved_on : texts.no_basis;
    renew.hidden = !basis;
  }

  async function look(goalId) {
    const to = new URL(location.href);
    to.searchParams.set("goal_id", goalId);
    for (const name of ["basis", "gate_id", "plan_id", "amendment_id"]) to.searchParams.delete(name);
    const answer = await fetch(to, { cache: "no-store" }).catch(() => null);
    const fresh = new DOMParser().parseFromString(answer?.ok ? await answer.text() : "", "text/html");
    const put = fresh.querySelector('[data-panel="compose_context"]');
    // Nothing came, or another one was chosen meanwhile.
    if (!put || control(byName.get("goal_id")).value !== goalId) return;
    history.replaceState(null, "", to);
    const context = document.importNode(put, true);
    document.querySelector('[data-panel="compose_context"]').replaceWith(context);
    settle(context);
    if (byName.has("basis")) take();
    compare();
    draw();
  }

  form.addEventListener("input", (event) => {
    const field = event.target.closest("[data-field]");
    touched.add(field);
    const held = byName.has("basis") && control(byName.get("basis")).value;
    if (field.dataset.field === form.dataset.subject && byName.has("basis") && held === ours) take();
    compare();
    draw();
  });
  form.addEventListener("focusout", (event) => {
    const field = event.target.closest("[data-field]");
    if (!field) return;
    touched.add(field);
    draw();
  });
  // The goal that stands in its field, unless the page is about it already.
  function lookUp() {
    const known = document.getElementById("known-goal_id");
    const goalId = byName.has("goal_id") ? control(byName.get("goal_id")).value : "";
    const isOther = new URL(location.href).searchParams.get("goal_id") !== goalId;
    if (known && isOther && [...known.options].some((one) => one.value === goalId)) look(goalId);
  }

  form.addEventListener("change", (event) => {
    if (event.target.id === "f-goal_id") lookUp();
  });
  renew.addEventListener("click", () => {
    take();
    compare();
    draw();
    control(byName.get("basis")).focus();
  });
  document.addEventListener("page:changed", () => {
    if (!form.isConnected) document.querySelector("main").append(root);
    if (touched.has(byName.get("goal_id"))) lookUp();
    if (byName.has("basis") && control(byName.get("basis")).value === "" && !("past" in form.dataset)) take();
    compare();
    draw();
  });

  document.getElementById("fields").hidden = false;
  if (byName.has("basis")) {
    const { basis, seq } = basisNow();
    const held = control(byName.get("basis")).value;
    if (basis && held === basis) [ours, ofSeq] = [basis, seq];
  }
  compare();
  draw();
})();
