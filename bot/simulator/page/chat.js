// The chat client: who you are, your chats, the messages of one, and a line to write. Everything it shows and does goes
// through the chat interface that programs use too; a server-sent event says when to look again.

import { CardView } from "/page/card.js";
import { chosenChat, confirmed, toast } from "/page/dialogs.js";
import { $, avatar, make, safeUrl } from "/page/dom.js";
import { words } from "/page/words.js";


const state = { people: [], me: null, chats: [], online: [], chat: null, drafts: new Map(), shown: new Map(), messages: [], mention: true, replyTo: null, waiting: {}, busy: new Set() };
const wanted = new URLSearchParams(location.hash.slice(1));

async function ask(path, body) {
  const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    return { error: { code: "unreachable", message: say().unreachable } };
  }
  return response.json();
}

const say = () => words(state.me?.language);

// ---- pressing ----

function showOutcome(answer, node) {
  if (answer.error) {
    const field = answer.error.input && [...(node.closest(".form")?.querySelectorAll(".field") || [])].find((one) => one.querySelector(".label")?.firstChild?.textContent === answer.error.input);
    const message = answer.error.code === "input_required" ? say().missing : answer.error.code === "input_too_long" ? say().tooLong(answer.error.max_chars) : answer.error.message;
    if (field) {
      field.classList.add("wrong");
      field.querySelector(".wrong-text").textContent = message;
      field.querySelector("[data-path]")?.focus();
    } else toast("error", message);
    return;
  }
  if (answer.error_code) toast("error", [say().code(answer.error_code), say().codes[answer.error_code]].filter(Boolean).join("\n"));
  else if (answer.toast) toast(answer.toast.type, answer.toast.content);
  const address = answer.url && safeUrl(answer.url);
  if (address) window.open(address, "_blank", "noopener");
}

function actor(message) {
  const run = async (node, work) => {
    if (state.busy.has(message.message_id)) return;
    state.busy.add(message.message_id);
    node.classList.add("busy");
    try {
      showOutcome(await work(), node);
    } finally {
      state.busy.delete(message.message_id);
      node.classList.remove("busy");
    }
  };
  return {
    async press(node, seen, inputs) {
      if (seen.confirm && !(await confirmed(say(), seen.confirm))) return;
      const body = { person: state.me.key, button: seen.path, inputs, confirm: true };
      await run(node, async () => {
        const answer = await ask(`/chat/api/messages/${message.message_id}/press`, body);
        if (!answer.error && !answer.error_code && seen.submits_form) drafts(message.message_id).clear();
        return answer;
      });
    },
    choose: (node, seen, value) =>
      run(node, () => ask(`/chat/api/messages/${message.message_id}/choose`, { person: state.me.key, input: seen.path, value })),
  };
}

function drafts(messageId) {
  const key = `${state.me.key} ${messageId}`;
  if (!state.drafts.has(key)) state.drafts.set(key, new Map());
  return state.drafts.get(key);
}

// ---- drawing ----

function clockTime(atMs) {
  return new Intl.DateTimeFormat(state.me.language === "zh_cn" ? "zh-CN" : "en-GB", { timeZone: state.me.timezone, hour: "2-digit", minute: "2-digit" }).format(new Date(atMs));
}

function day(atMs) {
  const show = (ms) => new Intl.DateTimeFormat("en-CA", { timeZone: state.me.timezone }).format(new Date(ms));
  const date = show(atMs);
  if (date === show(Date.now())) return say().today;
  if (date === show(Date.now() - 86400000)) return say().yesterday;
  return date;
}

function drawPeople() {
  const focused = $("people").contains(document.activeElement);
  $("who-caption").textContent = say().youAre;
  $("people").replaceChildren(...state.people.map((person) => {
    const mine = person.key === state.me.key;
    const news = mine ? 0 : state.waiting[person.key] || 0;
    return make("button", { type: "button", role: "radio", "aria-checked": String(mine), tabindex: mine ? "0" : "-1", class: mine ? "person-switch mine" : "person-switch", title: person.timezone,
      on: { click: () => become(person) } }, avatar(person.name, "person", true), make("span", {}, person.name),
      news ? make("span", { class: "dot", title: say().unread(news), "aria-label": say().unread(news) }) : "");
  }));
  // Whoever steers by keyboard stays where they are, whatever arrives meanwhile.
  if (focused) $("people").querySelector(".mine")?.focus({ preventScroll: true });
}

function drawChats() {
  const focused = document.activeElement?.dataset?.chat;
  $("chats").replaceChildren(...state.chats.map((chat) =>
    make("button", { type: "button", "data-chat": chat.chat_id, "aria-current": chat.chat_id === state.chat?.chat_id ? "true" : null,
      class: chat.chat_id === state.chat?.chat_id ? "chat-row open" : "chat-row", on: { click: () => open(chat, true) } },
      avatar(chat.name, chat.kind === "group" ? "group" : "bot"),
      make("span", { class: "chat-lines" },
        make("span", { class: "chat-name" }, chat.name, chat.kind === "p2p" ? make("span", { class: "kind" }, say().bot) : ""),
        make("span", { class: "chat-preview" }, chat.preview || "\u00a0")),
      make("span", { class: "chat-marks" }, chat.last_at_ms ? make("time", {}, clockTime(chat.last_at_ms)) : "",
        chat.unread ? make("span", { class: "count", "aria-label": say().unread(chat.unread) }, chat.unread > 99 ? "99+" : String(chat.unread)) : ""))));
  if (focused) [...$("chats").children].find((row) => row.dataset.chat === focused)?.focus({ preventScroll: true });
  const online = state.chat && state.chat.bots.some((name) => state.online.includes(name));
  $("link").className = online ? "link on" : "link";
  $("link").textContent = $("link").title = online ? say().online : say().offline;
}

function drawRoom() {
  const chat = state.chat;
  $("room-name").textContent = chat.name;
  $("room-people").textContent = [...chat.people, ...chat.bots.map((name) => `${name} (${say().bot})`)].join(", ");
  $("outside").hidden = !chat.external;
  $("outside").textContent = say().external;
  $("newer").textContent = say().newer;
  $("messages").setAttribute("aria-label", say().messagesOf(chat.name));
  $("replying").hidden = !state.replyTo;
  $("replying-to").textContent = state.replyTo ? say().replyingTo(state.replyTo.sender.name, gist(state.replyTo)) : "";
  $("replying-no").setAttribute("aria-label", say().cancel);
  $("mention").hidden = chat.kind !== "group" || !chat.bots.length;
  $("mention").textContent = chat.bots.length ? `@${chat.bots[0]}` : "";
  $("mention").setAttribute("aria-pressed", String(state.mention));
  $("text").placeholder = chat.dissolved ? say().dissolved : say().writeTo(chat.name);
  $("text").disabled = chat.dissolved;
  $("text").setAttribute("aria-label", say().write);
  $("send").textContent = say().send;
  $("back").setAttribute("aria-label", say().back);
}

function withMentions(message) {
  const names = [...new Set(message.mentioned_people.map((name) => `@${name}`))];
  const parts = [message.text];
  for (const name of names) {
    for (let index = 0; index < parts.length; index += 1) {
      if (typeof parts[index] !== "string" || !parts[index].includes(name)) continue;
      const [before, ...after] = parts[index].split(name);
      parts.splice(index, 1, before, make("span", { class: "mention" }, name), after.join(name));
      index += 1;
    }
  }
  return parts;
}

function drawCard(message) {
  const reader = {
    language: state.me.language, timezone: state.me.timezone, sentAtMs: message.sent_at_ms, words: say(), visible: message.card,
    nameOf: (id) => (Object.hasOwn(message.names, id) ? message.names[id] : id),
  };
  return new CardView(message.raw, reader, drafts(message.message_id), actor(message)).draw();
}

const gist = (message) => (message.card ? message.card.title : message.text || "");

function actions(message, mine) {
  const one = (label, act) => make("button", { type: "button", class: "act", on: { click: act } }, label);
  return make("p", { class: "acts" },
    one(say().reply, () => { state.replyTo = message; drawRoom(); $("text").focus(); }),
    one(say().forward, () => forward(message)),
    mine ? one(say().takeBack, () => ask(`/chat/api/messages/${message.message_id}/recall`, { person: state.me.key })) : "");
}

async function forward(message) {
  const chat = await chosenChat(say(), state.chats);
  if (!chat) return;
  const answer = await ask(`/chat/api/messages/${message.message_id}/forward`, { person: state.me.key, chat });
  if (answer.error) toast("error", answer.error.message);
}

function drawMessage(message) {
  const mine = message.sender.key === state.me.key;
  if (message.recalled) {
    return make("p", { class: "system" }, mine ? say().youRecalled : say().recalled(message.sender.name));
  }
  const content = message.kind === "card" ? drawCard(message) : make("div", { class: "bubble" }, ...withMentions(message));
  const source = message.reply_to && state.messages.find((one) => one.message_id === message.reply_to);
  const quoted = source && !source.recalled ? make("p", { class: "quoted" }, `${source.sender.name}: ${gist(source)}`) : "";
  return make("div", { class: `message ${mine ? "mine" : "theirs"} is-${message.kind}` },
    avatar(message.sender.name, message.sender.kind),
    make("div", { class: "message-body" },
      make("p", { class: "message-head" }, make("span", { class: "sender" }, message.sender.name),
        message.sender.kind === "bot" ? make("span", { class: "kind" }, say().bot) : "",
        message.forwarded ? make("span", { class: "kind" }, say().forwarded) : "",
        make("time", {}, clockTime(message.sent_at_ms)),
        message.version > 1 ? make("span", { class: "edited" }, `${say().edited} ${clockTime(message.updated_at_ms)}`) : ""),
      quoted, content, actions(message, mine)));
}

// What was said in a thread stands under the message that the thread hangs on, set in and counted.
function threaded(messages) {
  const roots = [];
  const threads = new Map();
  for (const message of messages) {
    const held = message.thread_id && threads.get(message.thread_id);
    if (held) { held.push(message); continue; }
    const replies = [];
    if (message.thread_id) threads.set(message.thread_id, replies);
    roots.push([message, replies]);
  }
  return roots;
}

// Only messages that changed are drawn again, so a half-typed form elsewhere keeps its cursor.
function drawMessages(messages) {
  const list = $("messages");
  const bottom = list.scrollHeight - list.scrollTop - list.clientHeight < 80;
  const nodes = [];
  let last = "";
  const put = (message, inThread) => {
    const mark = `${state.me.key} ${message.version} ${message.recalled} ${JSON.stringify(message.card?.buttons.map((one) => one.enabled) || 0)}`;
    const held = state.shown.get(message.message_id);
    const node = held && held.mark === mark ? held.node : drawMessage(message);
    state.shown.set(message.message_id, { mark, node });
    node.classList.toggle("in-thread", inThread);
    nodes.push(node);
  };
  for (const [message, replies] of threaded(messages)) {
    const date = day(message.sent_at_ms);
    if (date !== last) nodes.push(make("p", { class: "system day" }, date));
    last = date;
    put(message, false);
    if (replies.length) nodes.push(make("p", { class: "thread-head" }, say().thread(replies.length)));
    for (const reply of replies) put(reply, true);
  }
  if (!messages.length) nodes.push(make("p", { class: "system" }, say().empty));
  const focused = document.activeElement;
  const same = nodes.length === list.children.length && nodes.every((node, index) => node === list.children[index]);
  if (!same) {
    nodes.forEach((node, index) => { if (list.children[index] !== node) list.insertBefore(node, list.children[index] || null); });
    while (list.children.length > nodes.length) list.lastChild.remove();
    if (focused && list.contains(focused)) focused.focus({ preventScroll: true });
  }
  if (bottom) list.scrollTop = list.scrollHeight;
  else if (messages.length > state.count) $("newer").hidden = false;
  state.count = messages.length;
}

function toBottom() {
  $("messages").scrollTop = $("messages").scrollHeight;
  $("newer").hidden = true;
}

// ---- moving about ----

let looking = false;
let again = false;

async function look() {
  if (looking) { again = true; return; }
  looking = true;
  do {
    again = false;
    const me = state.me;
    const answer = await ask(`/chat/api/chats?person=${encodeURIComponent(me.key)}`);
    if (answer.error || me !== state.me) continue;
    state.chats = answer.chats;
    state.online = answer.online;
    state.waiting = answer.waiting;
    const stay = state.chats.find((chat) => chat.chat_id === state.chat?.chat_id);
    const asked = state.chats.find((chat) => chat.chat_id === wanted.get("chat") || chat.name === wanted.get("chat"));
    const alike = state.chats.find((chat) => chat.name === state.seek);
    state.chat = stay || alike || asked || state.chats[0];
    if (!state.chat) continue;
    const chat = state.chat;
    const found = await ask(`/chat/api/chats/${chat.chat_id}/messages?person=${encodeURIComponent(me.key)}&raw=1&limit=200`);
    if (found.error || me !== state.me || chat !== state.chat) continue;
    state.messages = found.messages;
    drawPeople();
    drawChats();
    drawRoom();
    drawMessages(found.messages);
    const unread = state.chats.find((one) => one.chat_id === chat.chat_id).unread;
    if (unread && document.visibilityState === "visible") ask(`/chat/api/chats/${chat.chat_id}/enter`, { person: me.key, look: true });
  } while (again);
  looking = false;
}

function open(chat, byHand) {
  state.chat = chat;
  state.replyTo = null;
  if (byHand) {
    $("app").classList.add("in-room");
    ask(`/chat/api/chats/${chat.chat_id}/enter`, { person: state.me.key });
  }
  $("messages").replaceChildren();
  state.shown.clear();
  remember();
  look().then(toBottom);
}

function become(person) {
  state.me = person;
  state.replyTo = null;
  document.documentElement.lang = person.language === "zh_cn" ? "zh" : "en";
  $("badge").textContent = $("badge-room").textContent = say().simulator;
  $("notice").textContent = say().notice;
  $("theme").title = say().theme;
  $("theme").setAttribute("aria-label", say().theme);
  $("people").setAttribute("aria-label", say().youAre);
  drawPeople();
  // The same group, or this person's own chat with the same bot; until it is there nothing can be written.
  state.seek = state.chat?.name;
  state.chat = state.chat?.kind === "group" ? state.chat : null;
  $("room-name").textContent = "";
  $("text").disabled = true;
  state.shown.clear();
  $("messages").replaceChildren();
  remember();
  look().then(toBottom);
}

function remember() {
  const hash = new URLSearchParams({ person: state.me.key });
  if (state.chat) hash.set("chat", state.chat.chat_id);
  history.replaceState(null, "", `#${hash}`);
}

// ---- writing ----

async function send(event) {
  event?.preventDefault();
  const text = $("text").value;
  if (!text.trim() || !state.chat) return;
  const answer = await ask(`/chat/api/chats/${state.chat.chat_id}/messages`, { person: state.me.key, text, mention_bot: state.mention, reply_to: state.replyTo?.message_id });
  if (answer.error) toast("error", answer.error.message);
  else {
    $("text").value = "";
    state.replyTo = null;
    drawRoom();
    grow();
    toBottom();
  }
}

function grow() {
  const area = $("text");
  area.style.height = "auto";
  area.style.height = `${Math.min(area.scrollHeight, 160)}px`;
}

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

async function start() {
  const theme = wanted.get("theme") || localStorage.getItem("theme");
  setTheme(theme);
  const answer = await ask("/chat/api/people");
  state.people = answer.people || [];
  if (!state.people.length) return;
  if (wanted.get("chat")) $("app").classList.add("in-room");
  become(state.people.find((person) => person.key === wanted.get("person")) || state.people[0]);
  const events = new EventSource("/chat/api/events");
  events.onmessage = () => look();
  $("composer").addEventListener("submit", send);
  $("text").addEventListener("input", grow);
  $("text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) send(event);
  });
  $("mention").addEventListener("click", () => { state.mention = !state.mention; drawRoom(); $("text").focus(); });
  $("replying-no").addEventListener("click", () => { state.replyTo = null; drawRoom(); $("text").focus(); });
  $("newer").addEventListener("click", toBottom);
  $("messages").addEventListener("scroll", () => {
    const list = $("messages");
    if (list.scrollHeight - list.scrollTop - list.clientHeight < 80) $("newer").hidden = true;
  });
  $("people").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = state.people.findIndex((person) => person.key === state.me.key);
    become(state.people[(at + step + state.people.length) % state.people.length]);
    $("people").querySelector("[aria-checked=true]").focus();
  });
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") look(); });
  $("back").addEventListener("click", () => $("app").classList.remove("in-room"));
  $("theme").addEventListener("click", () => {
    const dark = getComputedStyle(document.documentElement).getPropertyValue("--dark").trim() === "1";
    localStorage.setItem("theme", dark ? "light" : "dark");
    setTheme(dark ? "light" : "dark");
  });
}

start();
