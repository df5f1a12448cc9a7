"use strict";
// The phone: what is typed goes to the real webhook, what the outbox delivers comes back.

const $ = (id) => document.getElementById(id);
const POLL_MS = { waiting: 350, idle: 1500, hidden: 6000 };
const WAITS_MS = 30000;

const app = { people: [], places: [], instance: "", phone: "", threads: new Map(), quote: null, timer: 0, wire: [] };

// ---- what is kept ----

const key = (phone) => `relevo.${app.instance}.${phone}`;

function thread(phone = app.phone) {
  if (!app.threads.has(phone)) {
    let mine = [];
    try { mine = JSON.parse(localStorage.getItem(key(phone))) || []; } catch { /* a private window */ }
    app.threads.set(phone, { mine, theirs: new Map(), after: cleared(phone), draft: "" });
  }
  return app.threads.get(phone);
}

// What was emptied away stays away: the server is asked for what changed after that.
function cleared(phone) {
  try { return localStorage.getItem(`${key(phone)}.cleared`) || ""; } catch { return ""; }
}

function keep(phone) {
  const mine = thread(phone).mine.slice(-200).map(({ preview, ...message }) => message);
  try { localStorage.setItem(key(phone), JSON.stringify(mine)); } catch { /* a private window */ }
}

// ---- drawing ----

const clock = (at) => new Date(at).toLocaleTimeString("es", { hour: "2-digit", minute: "2-digit" });
const day = (at) => new Date(at).toLocaleDateString("es", { weekday: "long", day: "numeric", month: "long" });

const MINE = {
  sending: ["…", "", "enviando"],
  stored: ["✓", "", "recibido por relevo"],
  answered: ["✓✓", "read", "respondido"],
  failed: ["no entró", "bad", "el webhook no lo aceptó"],
};
const THEIRS = {
  pending: ["…", "", "en la cola de salida"],
  sending: ["…", "", "saliendo"],
  accepted: ["✓", "", "aceptado"],
  sent: ["✓", "", "enviado"],
  delivered: ["✓✓", "", "entregado"],
  read: ["✓✓", "read", "leído"],
  failed: ["no entregado", "bad", "no entregado"],
};

function meta(at, [mark, look, words]) {
  const node = element("div", "meta", clock(at));
  const ticks = element("span", `ticks ${look}`, mark);
  ticks.title = words;
  ticks.setAttribute("role", "img");
  ticks.setAttribute("aria-label", words);
  node.append(ticks);
  return node;
}

function attachment(message) {
  if (message.pin) {
    const { lat, lon, label } = message.pin;
    const node = element("div", "place");
    node.append(icon("pin"), element("span", "", label || `${lat}, ${lon}`));
    return node;
  }
  if (!message.media) return "";
  if (message.media.type.startsWith("image/")) {
    const image = element("img");
    Object.assign(image, { src: message.preview || message.media.url, alt: `Foto: ${message.media.name}` });
    image.addEventListener("load", stick, { once: true });
    return image;
  }
  const node = element("div", "doc");
  node.append(icon("file"), element("span", "", message.media.name));
  return node;
}

function bubble(message, side) {
  const node = element("article", `bubble ${side}`);
  node.dataset.id = message.sid || message.id || "";
  node.setAttribute("aria-label", side === "in" ? "relevo" : "Yo");
  if (message.quoted) {
    const quoted = element("div", "quoted");
    quoted.append(marked(message.quoted));
    node.append(quoted);
  }
  node.append(attachment(message));
  const text = side === "in" ? message.body : message.text;
  if (text) node.append(marked(text));
  if (side === "in") {
    node.append(meta(message.at, THEIRS[message.delivery] || THEIRS.sent));
    const answer = element("button", "icon answer");
    answer.type = "button";
    answer.setAttribute("aria-label", "Responder a este mensaje");
    answer.append(icon("reply"));
    answer.addEventListener("click", () => quote(message));
    node.append(answer);
  } else {
    node.append(meta(message.at, MINE[message.state]));
  }
  if (message.problem) node.append(element("div", "problem", message.problem));
  return node;
}

function chips(message) {
  const more = /\bResponde MÁS\b[^\n]*$/.test(message.body) ? ["MÁS"] : [];
  const labels = [...new Set([...more, ...message.suggestions])];
  if (!labels.length) return "";
  const node = element("div", "chips");
  for (const label of labels) {
    const button = element("button", "", label);
    button.type = "button";
    button.addEventListener("click", () => send({ text: label, payload: label, quoted: message }));
    node.append(button);
  }
  return node;
}

function all(phone = app.phone) {
  const { mine, theirs } = thread(phone);
  return [...mine.map((message) => ({ message, side: "out" })), ...[...theirs.values()].map((message) => ({ message, side: "in" }))]
    .sort((a, b) => a.message.at - b.message.at);
}

let pinned = true;
function stick() { if (pinned) $("log").scrollTop = $("log").scrollHeight; }

function draw() {
  const log = $("log");
  const list = all();
  const nodes = [];
  let before = null;
  for (const { message, side } of list) {
    if (!before || day(before.message.at) !== day(message.at)) nodes.push(element("div", "day", day(message.at)));
    const node = bubble(message, side);
    if (before && before.side !== side) node.classList.add("turn");
    nodes.push(node);
    before = { message, side };
  }
  if (before && before.side === "in") nodes.push(chips(before.message));
  if (!list.length) {
    const welcome = $("t-welcome").content.cloneNode(true);
    for (const button of welcome.querySelectorAll("button")) button.addEventListener("click", () => send({ text: button.textContent }));
    nodes.push(welcome);
  }
  log.replaceChildren(...nodes.filter(Boolean));
  drawPresence();
  stick();
}

function waiting() {
  const last = thread().mine.findLast((message) => message.state === "stored");
  return Boolean(last) && Date.now() - last.at < WAITS_MS;
}

function drawPresence() {
  $("typing").hidden = !waiting();
  $("presence").textContent = app.lost ? "sin conexión con relevo" : waiting() ? "escribiendo…" : "en línea";
}

function drawPeople() {
  const items = app.people.map((person) => {
    const item = element("li");
    const button = element("button");
    button.type = "button";
    button.dataset.phone = person.phone;
    button.setAttribute("aria-current", String(person.phone === app.phone));
    const words = element("span");
    words.append(element("span", "name", person.name), element("span", "role", person.about));
    const avatar = element("span", "avatar", person.initials);
    avatar.setAttribute("aria-hidden", "true");
    button.append(avatar, words);
    button.addEventListener("click", () => choose(person.phone));
    item.append(button);
    return item;
  });
  $("people").replaceChildren(...items);
  $("as").replaceChildren(...app.people.map((person) => new Option(`${person.name} · ${person.about}`, person.phone, false, person.phone === app.phone)));
}

function note(kind, title, detail) {
  const item = element("li", kind);
  item.append(element("b", "", title), element("span", "", detail));
  $("wire").prepend(item);
  while ($("wire").children.length > 40) $("wire").lastChild.remove();
}

// ---- sending ----

async function post(path, body, type = "application/json") {
  const response = await fetch(path, { method: "POST", headers: { "content-type": type }, body });
  const text = await response.text();
  if (!response.ok) throw new Error(text || `error ${response.status}`);
  return JSON.parse(text);
}

async function send({ text = "", payload, pin, media, preview, quoted = app.quote }) {
  const phone = app.phone;
  const message = { at: Date.now(), text, pin, media, preview, state: "sending", quoted: quoted ? excerpt(quoted.body) : undefined };
  thread(phone).mine.push(message);
  quote(null);
  pinned = true;
  draw();
  $("log").scrollTop = $("log").scrollHeight;
  try {
    const answer = await post("/simulator/send", JSON.stringify({
      phone, text, payload, pin, media: media ? [media.id] : [], reply_to: quoted ? quoted.sid : undefined,
    }));
    Object.assign(message, { sid: answer.sid, state: answer.status === 200 ? "stored" : "failed" });
    if (answer.status !== 200) message.problem = answer.body || `El webhook respondió ${answer.status}.`;
    note(answer.status === 200 ? "" : "bad", `POST /webhooks/twilio → ${answer.status}`, `${answer.ms} ms · ${answer.sid.slice(0, 6)}…${answer.sid.slice(-4)}`);
  } catch (error) {
    Object.assign(message, { state: "failed", problem: error.message });
    note("bad", "No se pudo enviar", error.message);
  }
  settle(phone);
  keep(phone);
  draw();
  poll();
}

async function sendFile(file) {
  if (!file) return;
  const caption = $("text").value.trim();
  try {
    const type = file.type || "application/octet-stream";
    const stored = await post("/simulator/files", file, type);
    $("text").value = "";
    await send({ text: caption, media: { ...stored, name: file.name }, preview: URL.createObjectURL(file) });
  } catch (error) {
    note("bad", "El archivo no se pudo guardar", error.message);
    thread().mine.push({ at: Date.now(), text: file.name, state: "failed", problem: error.message });
    draw();
  }
}

// What a phone shows of the message that is answered: its first lines, whole.
function excerpt(body) {
  return body.split("\n").filter(Boolean).slice(0, 2).join("\n");
}

function quote(message) {
  app.quote = message;
  $("quote").hidden = !message;
  const line = $("quote").querySelector(".quote-text");
  line.textContent = "";
  if (message) inline(message.body.split("\n")[0], line);
  if (message) $("text").focus();
}

// ---- receiving ----

function settle(phone) {
  const { mine, theirs } = thread(phone);
  const answered = new Set([...theirs.values()].flatMap((message) => message.answers));
  for (const message of mine) if (message.state === "stored" && answered.has(message.sid)) message.state = "answered";
}

async function poll() {
  clearTimeout(app.timer);
  const phone = app.phone;
  const here = thread(phone);
  try {
    const query = new URLSearchParams({ phone, after: here.after, seen: String(!document.hidden) });
    const response = await fetch(`/simulator/messages?${query}`);
    if (!response.ok) throw new Error(await response.text());
    const { messages, after } = await response.json();
    for (const message of messages) {
      const known = here.theirs.get(message.id);
      if (!known || known.delivery !== message.delivery) {
        const about = `${message.body.length} caracteres${message.attempts > 1 ? ` · intento ${message.attempts}` : ""}`;
        note("in", `salida: ${(THEIRS[message.delivery] || THEIRS.sent)[2]}`, message.reason || about);
      }
      here.theirs.set(message.id, message);
    }
    here.after = after;
    const changed = messages.length > 0 || app.lost;
    app.lost = false;
    if (messages.length) { settle(phone); keep(phone); }
    if (changed && phone === app.phone) draw();
  } catch {
    app.lost = true;
  }
  drawPresence();
  clearTimeout(app.timer);
  app.timer = setTimeout(poll, document.hidden ? POLL_MS.hidden : waiting() ? POLL_MS.waiting : POLL_MS.idle);
}

// ---- the hands ----

function choose(phone) {
  if (app.phone) thread().draft = $("text").value;
  app.phone = phone;
  try { localStorage.setItem(key("last"), phone); } catch { /* a private window */ }
  $("text").value = thread().draft;
  quote(null);
  drawPeople();
  draw();
  $("log").scrollTop = $("log").scrollHeight;
  poll();
}

function grow() {
  const text = $("text");
  text.style.height = "auto";
  text.style.height = `${Math.min(text.scrollHeight + 2, 130)}px`;
}

function menu(open) {
  $("menu").hidden = !open;
  $("attach").setAttribute("aria-expanded", String(open));
  if (open) $("photo").focus();
}

function place(button, { lat, lon }) {
  for (const other of $("places").children) other.setAttribute("aria-pressed", String(other === button));
  $("lat").value = lat;
  $("lon").value = lon;
  $("pin-problem").hidden = true;
}

function pinFromDialog() {
  const [lat, lon] = ["lat", "lon"].map((id) => Number($(id).value.trim().replace(",", ".")));
  if (!(Math.abs(lat) <= 90 && Math.abs(lon) <= 180)) return null;
  const chosen = [...$("places").children].findIndex((button) => button.getAttribute("aria-pressed") === "true");
  const known = app.places[chosen];
  const same = known && known.lat === lat && known.lon === lon;
  return { lat, lon, label: same ? known.label : "", address: same ? known.address : "", forwarded: $("forwarded").checked };
}

function listen() {
  $("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = $("text").value.trim();
    if (!text) return;
    $("text").value = "";
    grow();
    send({ text });
  });
  $("text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      $("composer").requestSubmit();
    }
  });
  $("text").addEventListener("input", grow);
  $("attach").addEventListener("click", () => menu($("menu").hidden));
  document.addEventListener("click", (event) => { if (!event.target.closest("#menu, #attach")) menu(false); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !$("menu").hidden) { menu(false); $("attach").focus(); }
  });
  for (const kind of ["photo", "file"]) {
    $(kind).addEventListener("click", () => { menu(false); $(`${kind}-input`).click(); });
    $(`${kind}-input`).addEventListener("change", async (event) => {
      await sendFile(event.target.files[0]);
      event.target.value = "";
    });
  }
  $("pin").addEventListener("click", () => { menu(false); $("pin-dialog").showModal(); });
  $("pin-cancel").addEventListener("click", () => $("pin-dialog").close());
  $("pin-dialog").querySelector("form").addEventListener("submit", (event) => {
    const pin = pinFromDialog();
    if (pin) { send({ pin }); return; }
    event.preventDefault();
    $("pin-problem").textContent = "La latitud va de -90 a 90 y la longitud de -180 a 180.";
    $("pin-problem").hidden = false;
  });
  $("here").hidden = !navigator.geolocation;
  $("here").addEventListener("click", () => navigator.geolocation.getCurrentPosition(
    ({ coords }) => place(null, { lat: coords.latitude, lon: coords.longitude }),
    () => { $("pin-problem").textContent = "El navegador no da la posición."; $("pin-problem").hidden = false; },
  ));
  $("as").addEventListener("change", (event) => choose(event.target.value));
  $("unquote").addEventListener("click", () => quote(null));
  $("clear").addEventListener("click", () => {
    const here = thread();
    here.mine = [];
    here.theirs.clear();
    try { localStorage.setItem(`${key(app.phone)}.cleared`, here.after); } catch { /* a private window */ }
    keep(app.phone);
    draw();
  });
  $("log").addEventListener("scroll", () => { pinned = $("log").scrollHeight - $("log").scrollTop - $("log").clientHeight < 80; });
  new ResizeObserver(stick).observe($("log"));
  document.addEventListener("visibilitychange", () => { if (!document.hidden) poll(); });
}

async function start() {
  listen();
  const response = await fetch("/simulator/cast");
  if (!response.ok) throw new Error(await response.text());
  Object.assign(app, await response.json());
  $("places").replaceChildren(...app.places.map((one) => {
    const button = element("button");
    button.type = "button";
    button.dataset.place = one.id;
    button.setAttribute("aria-pressed", "false");
    button.append(element("strong", "", one.label), element("span", "", one.address));
    button.addEventListener("click", () => place(button, one));
    return button;
  }));
  let last = null;
  try { last = localStorage.getItem(key("last")); } catch { /* a private window */ }
  choose(app.people.some((person) => person.phone === last) ? last : app.people[0].phone);
  $("text").focus();
}

start().catch((error) => {
  $("presence").textContent = "no disponible";
  $("log").append(element("p", "problem", error.message));
});
