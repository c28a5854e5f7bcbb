// The exact line for a POSIX shell, from what was typed. Whatever the text is made of, the shell hands over that text
// and nothing else, and nothing in the line is invisible: what could hide or reorder it is spelled by its bytes.
"use strict";

const frontstageLine = (() => {
  const SAFE = /^[A-Za-z0-9_@%+=:,./-]+$/;
  const HIDDEN = /([\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]+)/u;
  const WORD_BYTES_MAX = 131072;
  const encoder = new TextEncoder();

  function octal(text) {
    return [...encoder.encode(text)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
  }

  // Splitting by a group gives what lies between at even places and what is hidden at odd ones.
  function word(text) {
    if (SAFE.test(text)) return text;
    if (text === "") return "''";
    return text.split(HIDDEN).map((part, at) => {
      if (part === "") return "";
      return at % 2 ? `"$(printf '${octal(part)}')"` : `'${part.replaceAll("'", `'"'"'`)}'`;
    }).join("");
  }

  // A value that begins with a dash would be taken for a flag, were it to stand alone.
  function flagged(flag, text) {
    return text.startsWith("-") ? `${flag}=${word(text)}` : `${flag} ${word(text)}`;
  }

  // One argument of a program holds so much and no more, whatever the shell.
  function fits(flag, text) {
    return encoder.encode(`${flag}=${text}`).length < WORD_BYTES_MAX;
  }

  return { word, flagged, fits };
})();
