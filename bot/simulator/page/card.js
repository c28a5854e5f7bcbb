// A JSON 2.0 card, drawn. Each component becomes elements; what can be pressed knows its path in the card, and the
// simulator finds the component by it. What is typed stays in `drafts` until the card's form has been sent.

import { avatar, make } from "/page/dom.js";
import { markdown } from "/page/markdown.js";

const SPACING = { small: "4px", medium: "8px", large: "12px", extra_large: "16px", default: "8px" };
const SIZES = {
  "heading-0": 30, "heading-1": 24, "heading-2": 20, "heading-3": 18, "heading-4": 16, heading: 16, normal: 14, notation: 12,
  "xxxx-large": 30, "xxx-large": 24, "xx-large": 20, "x-large": 18, large: 16, medium: 14, small: 12, "x-small": 10,
};

function spacing(value, fallback) {
  if (SPACING[value]) return SPACING[value];
  return /^\d{1,2}px$/.test(value || "") ? value : fallback;
}

function box(value) {
  return /^(-?\d{1,2}(px)?( |$)){1,4}$/.test(value || "") ? value.replace(/\b(\d+)(?=\s|$)/g, "$1px").replace(/pxpx/g, "px") : "";
}

function lay(node, element, fallback) {
  const horizontal = element.direction === "horizontal";
  node.classList.add("stack");
  if (horizontal) node.classList.add("across");
  node.style.rowGap = spacing(element.vertical_spacing, fallback);
  node.style.columnGap = spacing(element.horizontal_spacing, "8px");
  const align = { left: "start", center: "center", right: "end" }[element.horizontal_align];
  if (align) node.style[horizontal ? "justifyContent" : "alignItems"] = align;
  if (box(element.padding)) node.style.padding = box(element.padding);
  return node;
}

export class CardView {
  constructor(card, reader, drafts, act) {
    this.card = card;
    this.reader = reader;
    this.drafts = drafts;
    this.act = act;
    this.visible = new Map();
    for (const item of [...reader.visible.buttons, ...reader.visible.inputs]) this.visible.set(item.path, item);
  }

  copy(text) {
    if (!text) return "";
    const copies = text.i18n_content || {};
    const locales = this.card.config?.locales || [];
    for (const wanted of [this.reader.language, "en_us"]) {
      if (wanted in copies && (!locales.length || locales.includes(wanted))) return String(copies[wanted]);
    }
    return String(text.content ?? "");
  }

  text(text) {
    const copy = this.copy(text);
    return text?.tag === "lark_md" || text?.tag === "markdown" ? markdown(copy, this.reader) : [copy];
  }

  draw() {
    const width = { compact: "compact", fill: "fill" }[this.card.config?.width_mode] || "default";
    const article = make("article", { class: `card ${width}` });
    if (this.card.header) article.append(this.header(this.card.header));
    const body = this.card.body || {};
    const node = lay(make("div", { class: "card-body" }), body, "8px");
    node.append(...this.elements(body, "/body", ""));
    article.append(node);
    return article;
  }

  header(header) {
    const tags = header.i18n_text_tag_list?.[this.reader.language] || header.text_tag_list || [];
    return make("header", { class: `card-head template-${header.template || "default"}` },
      make("div", { class: "card-title" },
        make("h2", {}, ...this.text(header.title)),
        ...tags.slice(0, 3).map((tag) => make("span", { class: `tag tag-${tag.color || "blue"}` }, this.copy(tag.text)))),
      header.subtitle ? make("p", {}, ...this.text(header.subtitle)) : "");
  }

  elements(holder, path, form) {
    return (holder.elements || []).map((element, index) => {
      const node = this.element(element, `${path}/elements/${index}`, form);
      if (node && box(element.margin)) node.style.margin = box(element.margin);
      return node;
    });
  }

  element(element, path, form) {
    switch (element.tag) {
      case "markdown": return this.styled(make("div", { class: "markdown" }, ...markdown(this.copy(element), this.reader)), element);
      case "div": return this.div(element);
      case "hr": return make("hr");
      case "column_set": return this.columns(element, path, form);
      case "form": return lay(make("section", { class: "form" }, ...this.elements(element, path, element.name)), element, "12px");
      case "collapsible_panel": return this.panel(element, path, form);
      case "interactive_container": return this.container(element, path, form);
      case "button": return this.button(element, path, form);
      case "overflow": return this.overflow(element, path);
      case "person": return this.person(element.user_id, element);
      case "person_list": return make("div", { class: "persons" }, ...(element.persons || []).map((one) => this.person(one.id, element)));
      case "table": return this.table(element);
      case "img": return make("div", { class: "picture" }, this.copy(element.alt) || this.reader.words.image);
      default: return this.visible.has(path) ? this.input(element, path, form) : make("div", { class: "picture" }, element.tag);
    }
  }

  styled(node, source) {
    const size = SIZES[source.text_size];
    if (size && size !== 14) node.style.fontSize = `${size}px`;
    if (source.text_size === "notation") node.classList.add("notation");
    if (source.text_color) node.classList.add(`ink-${source.text_color}`);
    if (["center", "right"].includes(source.text_align)) node.style.textAlign = source.text_align;
    return node;
  }

  div(element) {
    const text = element.text || {};
    const node = this.styled(make("div", { class: text.tag === "lark_md" ? "markdown" : "plain" }, ...this.text(text)), text);
    if (Number.isInteger(text.lines)) {
      node.classList.add("clamped");
      node.style.webkitLineClamp = String(text.lines);
    }
    return node;
  }

  columns(element, path, form) {
    const node = make("div", { class: `columns flex-${element.flex_mode || "none"} back-${element.background_style || "default"}` });
    node.style.columnGap = spacing(element.horizontal_spacing, "8px");
    node.style.rowGap = "8px";
    (element.columns || []).forEach((column, index) => {
      const inner = lay(make("div", { class: `column ${column.width || "auto"} back-${column.background_style || "default"}` }), column, "8px");
      if (column.width === "weighted") inner.style.flexGrow = String(column.weight || 1);
      if (/^\d{2,3}px$/.test(column.width || "")) inner.style.flex = `0 0 ${column.width}`;
      const align = { center: "center", bottom: "end" }[column.vertical_align];
      if (align) inner.style.alignSelf = align;
      inner.append(...this.elements(column, `${path}/columns/${index}`, form));
      node.append(inner);
    });
    return node;
  }

  panel(element, path, form) {
    const key = `panel ${path}`;
    const open = this.drafts.get(key) ?? element.expanded === true;
    const node = make("details", { class: `panel${element.border ? " bordered" : ""}`, open },
      make("summary", {}, make("span", {}, ...this.text(element.header?.title))),
      lay(make("div", { class: "panel-body" }, ...this.elements(element, path, form)), element, "8px"));
    node.addEventListener("toggle", () => this.drafts.set(key, node.open));
    return node;
  }

  container(element, path, form) {
    const seen = this.visible.get(path);
    const node = lay(make("div", { class: `container${element.has_border ? " bordered" : ""}`, role: "button", tabindex: "0" }), element, "4px");
    node.append(...this.elements(element, path, form));
    const press = (event) => {
      if (event.target.closest("button, input, textarea, select") || !seen?.enabled) return;
      this.act.press(node, seen, {});
    };
    node.addEventListener("click", press);
    node.addEventListener("keydown", (event) => {
      if (event.target !== node || !["Enter", " "].includes(event.key)) return;
      event.preventDefault();
      press(event);
    });
    return node;
  }

  button(element, path) {
    const seen = this.visible.get(path);
    const node = make("button", { type: "button", class: `button ${element.type || "default"} ${element.size || "medium"}${element.width === "fill" ? " fill" : ""}` },
      ...this.text(element.text));
    node.disabled = !seen?.enabled;
    const tips = seen?.enabled ? this.copy(element.hover_tips) : this.copy(element.disabled_tips);
    if (tips) node.title = tips;
    node.addEventListener("click", () => {
      if (element.form_action_type === "reset" || element.action_type === "form_reset") this.reset(node.closest(".form"));
      else this.act.press(node, seen, seen.submits_form ? this.collect(node.closest(".form")) : {});
    });
    return node;
  }

  overflow(element, path) {
    const menu = make("div", { class: "menu", role: "menu", hidden: true });
    const node = make("div", { class: "overflow" });
    const toggle = make("button", { type: "button", class: "button default", "aria-haspopup": "menu", "aria-label": this.reader.words.more, title: this.reader.words.more },
      make("span", { class: "dots", "aria-hidden": "true" }));
    const close = (event) => {
      if (!event || !node.contains(event.target)) {
        menu.hidden = true;
        document.removeEventListener("click", close);
      }
    };
    toggle.addEventListener("click", () => {
      menu.hidden = !menu.hidden;
      if (!menu.hidden) document.addEventListener("click", close);
    });
    (element.options || []).forEach((option, index) => {
      const seen = this.visible.get(`${path}/options/${index}`);
      const item = make("button", { type: "button", role: "menuitem" }, this.copy(option.text));
      item.disabled = !seen?.enabled;
      item.addEventListener("click", () => { close(); this.act.press(toggle, seen, {}); });
      menu.append(item);
    });
    node.append(toggle, menu);
    node.addEventListener("keydown", (event) => {
      const items = [...menu.querySelectorAll("button:enabled")];
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") { close(); toggle.focus(); }
      if (!step || !items.length) return;
      event.preventDefault();
      if (menu.hidden) toggle.click();
      items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
    });
    return node;
  }

  input(element, path, form) {
    const seen = this.visible.get(path);
    const field = this.field(element, seen);
    field.dataset.path = path;
    field.dataset.kind = seen.kind;
    field.disabled = !seen.enabled;
    if (seen.required) field.required = true;
    field.addEventListener("input", () => {
      this.drafts.set(path, this.value(field));
      field.closest(".field")?.classList.remove("wrong");
    });
    if (!form) field.addEventListener("change", () => this.act.choose(field, seen, this.value(field)));
    const label = this.copy(element.label) || this.copy(element.text);
    const mark = seen.required ? make("span", { class: "star", title: this.reader.words.required }, "*") : "";
    const caption = label ? make("span", { class: "label" }, label, mark) : "";
    return make("label", { class: `field ${seen.kind}${element.label_position === "left" ? " beside" : ""}${element.width === "fill" ? " fill" : ""}` }, caption, field, make("span", { class: "wrong-text", role: "alert" }));
  }

  field(element, seen) {
    const held = this.drafts.get(seen.path) ?? seen.value;
    if (["select", "person", "multi_select", "people"].includes(seen.kind)) {
      const several = seen.kind === "multi_select" || seen.kind === "people";
      const empty = !several ? [make("option", { value: "" }, seen.placeholder || this.reader.words.choose)] : [];
      const options = seen.options.map((label) => make("option", { value: label }, label));
      const select = make("select", { multiple: several }, ...empty, ...options);
      for (const option of select.options) option.selected = Array.isArray(held) ? held.includes(option.value) : option.value === held;
      return select;
    }
    if (seen.kind === "checkbox") return make("input", { type: "checkbox", checked: held === true || held === "true" });
    const common = { placeholder: seen.placeholder, maxLength: seen.max_chars };
    if (seen.kind === "multiline") {
      const area = make("textarea", { ...common, rows: Math.min(Math.max(element.rows || 5, 1), 12) });
      area.value = held;
      return area;
    }
    const type = element.input_type === "password" ? "password" : { date: "date", time: "time", datetime: "datetime-local" }[seen.kind] || "text";
    const field = make("input", { ...common, type });
    field.value = held;
    return field;
  }

  value(field) {
    if (field.type === "checkbox") return field.checked;
    if (field.multiple) return [...field.selectedOptions].map((option) => option.value);
    return field.value;
  }

  collect(form) {
    const values = {};
    for (const field of form.querySelectorAll("[data-path]")) values[field.dataset.path] = this.value(field);
    return values;
  }

  reset(form) {
    for (const field of form.querySelectorAll("[data-path]")) {
      const seen = this.visible.get(field.dataset.path);
      this.drafts.delete(field.dataset.path);
      if (field.type === "checkbox") field.checked = seen.value === "true";
      else if (!field.multiple) field.value = seen.value;
    }
  }

  person(id, element) {
    const name = this.reader.nameOf(id);
    return make("span", { class: "person-chip" }, element.show_avatar === false ? "" : avatar(name, "person", true), element.show_name === false ? "" : name);
  }

  table(element) {
    const columns = element.columns || [];
    const cell = (value) => (value && typeof value === "object" ? JSON.stringify(value) : String(value ?? ""));
    return make("div", { class: "table" }, make("table", {},
      make("thead", {}, make("tr", {}, ...columns.map((column) => make("th", {}, String(column.display_name ?? ""))))),
      make("tbody", {}, ...(element.rows || []).map((row) => make("tr", {}, ...columns.map((column) => make("td", {}, cell(row[column.name]))))))));
  }
}

