"use strict";
// WhatsApp's own markup, as a phone shows it: nodes, never HTML from a text.

const PAIR = /(^|[\s\p{P}\p{S}])(\*|_|~)(?=\S)([^\n]*?\S)\2(?=$|[\s\p{P}\p{S}])/u;
const TAG = { "*": "strong", "_": "em", "~": "s" };
const LINK = /https?:\/\/[^\s<>"]+[^\s<>".,;:!?)]/;

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function icon(name) {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  const use = document.createElementNS(ns, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}

function inline(text, into) {
  const found = [
    { at: text.search(/`[^`\n]+`/), kind: "code" },
    { at: text.search(LINK), kind: "link" },
    { at: text.search(PAIR), kind: "pair" },
  ].filter((one) => one.at >= 0).sort((a, b) => a.at - b.at)[0];
  if (!found) {
    into.append(text);
    return;
  }
  if (found.kind === "pair") {
    const [whole, before, mark, inner] = text.match(PAIR);
    into.append(text.slice(0, found.at) + before);
    const node = element(TAG[mark]);
    inline(inner, node);
    into.append(node);
    inline(text.slice(found.at + whole.length), into);
    return;
  }
  const [whole] = text.match(found.kind === "code" ? /`[^`\n]+`/ : LINK);
  into.append(text.slice(0, found.at));
  if (found.kind === "code") {
    into.append(element("code", "", whole.slice(1, -1)));
  } else {
    const link = element("a", "", whole);
    Object.assign(link, { href: whole, rel: "noreferrer noopener", target: "_blank" });
    into.append(link);
  }
  inline(text.slice(found.at + whole.length), into);
}

function marked(text) {
  const node = element("div", "text");
  const parts = text.split("```");
  parts.forEach((part, index) => {
    const closed = index % 2 === 1 && index + 1 < parts.length;
    if (closed) node.append(element("code", "", part));
    else inline((index % 2 === 1 ? "```" : "") + part.replace(/^[-*] /gm, "• "), node);
  });
  return node;
}
