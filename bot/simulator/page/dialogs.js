// What stands above the chat for a moment: toasts, the question before something that cannot be undone, the choice of a
// chat to forward to. Both questions are answered by a promise.

import { $, make } from "/page/dom.js";

const TOAST_MS = 6000;
const TOASTS_MAX = 4;

export function toast(type, content) {
  const item = make("div", { class: `toast ${type}` }, make("span", { class: "toast-mark", "aria-hidden": "true" }), make("span", {}, content));
  $("toasts").append(item);
  while ($("toasts").children.length > TOASTS_MAX) $("toasts").firstChild.remove();
  setTimeout(() => item.remove(), TOAST_MS);
}

function asked(name, yes, no, value) {
  const dialog = $(name);
  $(`${name}-yes`).textContent = yes;
  $(`${name}-no`).textContent = no;
  return new Promise((resolve) => {
    const end = (answer) => { dialog.close(); resolve(answer); };
    $(`${name}-yes`).onclick = () => end(value());
    $(`${name}-no`).onclick = () => end(null);
    dialog.oncancel = () => resolve(null);
    dialog.showModal();
  });
}

export function confirmed(words, question) {
  $("confirm-title").textContent = question.title;
  $("confirm-text").textContent = question.text;
  return asked("confirm", words.confirm, words.cancel, () => true);
}

export function chosenChat(words, chats) {
  $("forward-title").textContent = words.forward;
  $("forward-label").textContent = words.forwardTo;
  $("forward-to").replaceChildren(...chats.map((chat) => make("option", { value: chat.chat_id }, chat.name)));
  return asked("forward", words.send, words.cancel, () => $("forward-to").value);
}
