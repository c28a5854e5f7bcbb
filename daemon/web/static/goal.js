// The slider of moments: it says its number while it is moved and goes there when it is let go. Without this script
// its button does the same.
"use strict";

document.addEventListener("input", (event) => {
  const range = event.target.closest("input[data-go]");
  if (!range) return;
  const said = document.querySelector(`output[data-of="${range.id}"]`);
  said.hidden = false;
  said.textContent = range.value;
  const typed = document.getElementById("moment-seq");
  if (typed) typed.value = range.value;
});

// A key moves it one step at a time: only a pointer that lets go, or the button, goes there.
let held = false;
document.addEventListener("pointerdown", (event) => { held = event.target.closest("input[data-go]") !== null; });
document.addEventListener("change", (event) => {
  const range = event.target.closest("input[data-go]");
  if (range && held) range.form.requestSubmit();
});
