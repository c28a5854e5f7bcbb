// Making elements. Texts go in as text nodes only: whatever a bot or a person wrote, nothing here parses it as markup.

export const $ = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.className = value;
    else if (name === "on") for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

// Only these two schemes become links; everything else stays text.
export function safeUrl(text) {
  try {
    const url = new URL(text);
    return url.protocol === "https:" || url.protocol === "http:" ? url.href : null;
  } catch {
    return null;
  }
}

export function link(label, address) {
  const href = safeUrl(address);
  return href ? make("a", { href, target: "_blank", rel: "noopener noreferrer" }, label) : make("span", {}, label);
}

export function avatar(name, kind, small = false) {
  const shade = [...name].reduce((sum, letter) => sum + letter.codePointAt(0), 0) % 6;
  const initials = /[\u4e00-\u9fff]/.test(name) ? name.slice(-2) : name.split(/\s+/).map((part) => part[0]).slice(0, 2).join("").toUpperCase();
  return make("span", { class: `avatar avatar-${kind} shade${shade}${small ? " small" : ""}`, "aria-hidden": "true" }, initials);
}
