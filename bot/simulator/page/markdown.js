// The part of card markdown that fixed copy uses, drawn as elements: emphasis, code, links, lists, quotes, headings,
// and the platform's tags for mentions, people, times, colours and labels. Unknown tags are dropped, their text stays.

import { link, make } from "/page/dom.js";

const INLINE = new RegExp(
  [
    "(?<escape>\\\\[\\\\`*_{}\\[\\]()#+\\-.!<>~|$&])",
    "(?<br><br\\s*/?>)",
    "<at\\s+(?<at>[^<>]*?)/?>(?:[^<]*</at>)?",
    "<person\\s+(?<person>[^<>]*?)/?>(?:[^<]*</person>)?",
    "<local_datetime\\b(?<time>[^<>]*?)/?>(?:[^<]*</local_datetime>)?",
    "<font\\s+color\\s*=\\s*['\"]?(?<color>[\\w-]+)['\"]?\\s*>(?<coloured>[\\s\\S]*?)</font>",
    "<text_tag(?:\\s+color\\s*=\\s*['\"]?(?<tagColor>\\w+)['\"]?)?\\s*>(?<tagged>[^<]*)</text_tag>",
    "<link\\s+(?<linkAttributes>[^<>]*)>(?<linkText>[^<]*)</link>",
    "<a\\s+(?<aAttributes>[^<>]*)>(?<aText>[^<]*)</a>",
    "(?<tag></?(?:font|raw|number_tag|text_tag|link|a)\\b[^<>]*>)",
    "!?\\[(?<label>[^\\]]*)\\]\\((?<address>[^)\\s]*)\\)",
    "\\*\\*(?=\\S)(?<strong>[\\s\\S]+?)(?<=\\S)\\*\\*",
    "~~(?=\\S)(?<struck>[\\s\\S]+?)(?<=\\S)~~",
    "`(?<code>[^`]+)`",
    "(?<![*\\w])\\*(?=\\S)(?<emphasis>[^*]+?)(?<=\\S)\\*(?![*\\w])",
    "(?<entity>&(?:#\\d{1,6}|#x[0-9a-fA-F]{1,5}|lt|gt|amp|quot|nbsp|ensp|emsp|sim);)",
  ].join("|"),
  "g",
);

const ENTITIES = { lt: "<", gt: ">", amp: "&", quot: '"', nbsp: "\u00a0", ensp: "\u2002", emsp: "\u2003", sim: "\u223c" };

function attribute(attributes, name) {
  const match = new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`).exec(attributes || "");
  return match ? match[1] ?? match[2] ?? match[3] : "";
}

function entity(text) {
  const body = text.slice(1, -1);
  if (body[0] !== "#") return ENTITIES[body];
  const number = body[1] === "x" ? parseInt(body.slice(2), 16) : parseInt(body.slice(1), 10);
  return number > 0 && number <= 0x10ffff ? String.fromCodePoint(number) : "";
}

function ids(attributes) {
  for (const name of ["id", "ids", "user_id", "open_id", "union_id", "email"]) {
    const value = attribute(attributes, name);
    if (value) return value.split(",").map((part) => part.trim()).filter(Boolean);
  }
  return [];
}

export function localTime(attributes, reader) {
  const at = new Date(Number(attribute(attributes, "millisecond")) || reader.sentAtMs);
  const show = (options) =>
    new Intl.DateTimeFormat(reader.language === "zh_cn" ? "zh-CN" : "en-US", { timeZone: reader.timezone, ...options }).format(at);
  const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  switch (attribute(attributes, "format_type")) {
    case "date_short": return show({ month: "short", day: "numeric" });
    case "date": return show({ year: "numeric", month: "short", day: "numeric" });
    case "week": return show({ weekday: "long" });
    case "week_short": return show({ weekday: "short" });
    case "time": return show(clock);
    case "time_sec": return show({ ...clock, second: "2-digit" });
    case "timezone": return show({ timeZoneName: "longOffset", hour: "numeric" }).replace(/^.*(GMT.*)$/, "$1");
    default: return new Intl.DateTimeFormat("en-CA", { timeZone: reader.timezone }).format(at);
  }
}

function one(groups, whole, reader) {
  if (groups.escape) return [groups.escape[1]];
  if (groups.br) return [make("br")];
  if (groups.at !== undefined) return ids(groups.at).map((id) => make("span", { class: "mention" }, `@${reader.nameOf(id)}`));
  if (groups.person !== undefined) return ids(groups.person).map((id) => make("span", { class: "person" }, reader.nameOf(id)));
  if (groups.time !== undefined) return [make("time", {}, localTime(groups.time, reader))];
  if (groups.color) return [make("span", { class: `ink-${groups.color}` }, ...inline(groups.coloured, reader))];
  if (groups.tagged !== undefined) return [make("span", { class: `tag tag-${groups.tagColor || "blue"}` }, groups.tagged)];
  if (groups.linkText !== undefined) return [link(groups.linkText, attribute(groups.linkAttributes, "pc_url") || attribute(groups.linkAttributes, "url"))];
  if (groups.aText !== undefined) {
    const address = attribute(groups.aAttributes, "href");
    return [link(groups.aText || address, address)];
  }
  if (groups.tag) return [];
  if (groups.label !== undefined) return [link(groups.label, groups.address)];
  if (groups.strong) return [make("strong", {}, ...inline(groups.strong, reader))];
  if (groups.struck) return [make("s", {}, ...inline(groups.struck, reader))];
  if (groups.code) return [make("code", {}, groups.code)];
  if (groups.emphasis) return [make("em", {}, ...inline(groups.emphasis, reader))];
  if (groups.entity) return [entity(groups.entity)];
  return [whole];
}

function inline(text, reader) {
  const nodes = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > from) nodes.push(text.slice(from, match.index));
    nodes.push(...one(match.groups, match[0], reader));
    from = match.index + match[0].length;
  }
  if (from < text.length) nodes.push(text.slice(from));
  return nodes;
}

// Lines are grouped into paragraphs, lists and quotes; one line break inside a paragraph stays one.
export function markdown(text, reader) {
  const blocks = [];
  let open = null;
  const into = (kind) => {
    if (!open || open.dataset.kind !== kind) {
      const tag = { bullets: "ul", numbers: "ol", quote: "blockquote", paragraph: "p" }[kind];
      open = make(tag);
      open.dataset.kind = kind;
      blocks.push(open);
    }
    return open;
  };
  for (const line of text.split("\n")) {
    const heading = /^(#{1,6}) (.*)$/.exec(line);
    const bullet = /^\s*[-*] (.*)$/.exec(line);
    const number = /^\s*(\d{1,9})\. (.*)$/.exec(line);
    const quote = /^> ?(.*)$/.exec(line);
    if (!line.trim()) open = null;
    else if (/^(?:---+|<hr\s*\/?>)$/.test(line.trim())) { blocks.push(make("hr")); open = null; }
    else if (heading) { blocks.push(make("p", { class: `h${heading[1].length}` }, ...inline(heading[2], reader))); open = null; }
    else if (bullet) into("bullets").append(make("li", {}, ...inline(bullet[1], reader)));
    else if (number) into("numbers").append(make("li", { value: Number(number[1]) }, ...inline(number[2], reader)));
    else {
      const block = into(quote ? "quote" : "paragraph");
      if (block.childNodes.length) block.append(make("br"));
      block.append(...inline(quote ? quote[1] : line, reader));
    }
  }
  return blocks;
}
