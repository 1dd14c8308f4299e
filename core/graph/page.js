// SPDX-License-Identifier: Apache-2.0
var svg = document.getElementById("picture"), resources = data.resources, byName = {}, byId = {}, selected = null;
var tools, search, type, cluster, critical, list, none, box = null;

function clusterName(c) {
  var word = c.kind === "role" ? "role " : "";
  return word + c.name;
}
function isIn(c, wanted) {
  for (; c !== undefined; c = data.clusters[c].parent) if (c === wanted) return true;
  return false;
}
function plural(n, one, many) { return n + " " + (n === 1 ? one : many || one + "s"); }
function link(to, r, text) {
  var a = add(to, "a", text);
  a.href = "#r" + r.id;
  return a;
}

/* The head. */
function showHead() {
  var drawn = data.relations.filter(function (e) { return !e.implied; }).length;
  document.title = "rhost graph";
  add(page, "h1", "Graph");
  add(page, "p", [plural(resources.length, "resource"), plural(data.boxes.length, "box", "boxes"),
    plural(drawn, "relation") + (data.relations.length > drawn ? " and " + (data.relations.length - drawn) + " that they imply" : ""),
    "rhost " + data.rhost].join(" · "), "quiet");
  if (data.critical_path) showCritical(data.critical_path);
}
function showCritical(path) {
  var p = add(page, "p");
  add(p, "span", "Critical path, " + seconds(path.seconds) + ": ", "critical");
  path.resources.forEach(function (name, i) {
    if (i) add(p, "span", " → ");
    if (byName[name]) link(p, byName[name], name); else add(p, "span", name);
  });
}

/* Search and filters. */
function choice(label, names) {
  var s = add(tools, "select"), o = add(s, "option", label);
  o.value = "";
  s.setAttribute("aria-label", label);
  names.forEach(function (n, i) { add(s, "option", n.text).value = n.value; });
  s.onchange = filter;
  return s;
}
function button(text, label, press) {
  var b = add(tools, "button", text);
  b.type = "button";
  b.title = label;
  b.setAttribute("aria-label", label);
  b.onclick = press;
}
function showTools() {
  var types = {}, both;
  tools = add(page, "div", null, "tools");
  search = add(tools, "input");
  search.type = "search";
  search.placeholder = "Search: name, file, relation";
  search.setAttribute("aria-label", "Search");
  search.oninput = filter;
  resources.forEach(function (r) { types[r.type] = true; });
  type = choice("all types", Object.keys(types).sort().map(function (t) { return { text: t, value: t }; }));
  cluster = choice("all places", data.clusters.map(function (c, i) { return { text: clusterName(c), value: String(i) }; }));
  if (data.critical_path) {
    both = add(tools, "label");
    critical = add(both, "input");
    critical.type = "checkbox";
    critical.onchange = filter;
    add(both, "span", " critical path");
  }
  if (svg) {
    button("+", "Zoom in", function () { zoom(1 / 1.4); });
    button("−", "Zoom out", function () { zoom(1.4); });
    button("Fit", "Show all", fit);
  }
}
function filter() {
  var q = search.value.toLowerCase(), shown = 0, all = true, kept = {};
  resources.forEach(function (r) {
    var ok = (!type.value || r.type === type.value) && (!cluster.value || isIn(r.cluster, Number(cluster.value)))
      && (!critical || !critical.checked || r.critical) && r.entry.dataset.words.indexOf(q) >= 0;
    r.entry.hidden = !ok;
    if (ok) { shown++; kept[r.box] = true; } else all = false;
    if (r.row) r.row.classList.toggle("dim", !ok);
  });
  none.hidden = shown > 0;
  if (!svg) return;
  svg.querySelectorAll(".box").forEach(function (b) { b.classList.toggle("dim", !kept[b.id.slice(1)]); });
  svg.querySelectorAll(".line").forEach(function (l) {
    l.classList.toggle("dim", !all && !(kept[l.dataset.from] && kept[l.dataset.to]));
  });
}

/* The picture: its part that is shown is `box`. */
function draw() { svg.setAttribute("viewBox", [box.x, box.y, box.w, box.h].join(" ")); }
function aspect() {
  var r = svg.getBoundingClientRect();
  return r.width > 0 && r.height > 0 ? r.width / r.height : 1.5;
}
function fit() {
  var w = Math.max(whole.w, whole.h * aspect()), h = w / aspect();
  box = { x: whole.x - (w - whole.w) / 2, y: whole.y - (h - whole.h) / 2, w: w, h: h };
  draw();
}
/* At first: its upper left corner, so large that it can be read. */
function begin() {
  var width = svg.getBoundingClientRect().width || 1000, w = Math.min(whole.w, 1.5 * width);
  if (whole.h * aspect() <= w) { fit(); return; }
  box = { x: whole.x, y: whole.y, w: w, h: w / aspect() };
  draw();
}
function zoom(by, at) {
  var w = Math.min(Math.max(box.w * by, 120), 3 * Math.max(whole.w, whole.h * aspect()));
  by = w / box.w;
  at = at || { x: box.x + box.w / 2, y: box.y + box.h / 2 };
  box = { x: at.x - (at.x - box.x) * by, y: at.y - (at.y - box.y) * by, w: w, h: box.h * by };
  draw();
}
function scale() {
  var r = svg.getBoundingClientRect();
  return Math.max(box.w / (r.width || 1), box.h / (r.height || 1));
}
function pointAt(x, y) {
  var r = svg.getBoundingClientRect(), s = scale();
  return { x: box.x + box.w / 2 + (x - r.left - r.width / 2) * s, y: box.y + box.h / 2 + (y - r.top - r.height / 2) * s };
}
function center(element) {
  var b = element.getBBox(), width = svg.getBoundingClientRect().width || 800, w = Math.min(whole.w, Math.max(b.width * 2, width));
  box = { w: w, h: w / aspect() };
  box.x = b.x + b.width / 2 - box.w / 2;
  box.y = b.y + b.height / 2 - box.h / 2;
  draw();
}
var whole, fingers = {}, moved = false;
function distance() {
  var f = Object.keys(fingers).map(function (k) { return fingers[k]; });
  return f.length === 2 ? Math.hypot(f[0].x - f[1].x, f[0].y - f[1].y) : 0;
}
function showPicture() {
  var view = add(page, "div", null, "view"), v = svg.getAttribute("viewBox").split(" ").map(Number);
  whole = { x: v[0], y: v[1], w: v[2], h: v[3] };
  view.appendChild(svg);
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  begin();
  view.addEventListener("wheel", function (e) {
    e.preventDefault();
    zoom(e.deltaY > 0 ? 1.15 : 1 / 1.15, pointAt(e.clientX, e.clientY));
  }, { passive: false });
  view.addEventListener("pointerdown", function (e) {
    fingers[e.pointerId] = { x: e.clientX, y: e.clientY };
    moved = false;
  });
  view.addEventListener("pointermove", function (e) {
    var f = fingers[e.pointerId], s = scale(), before;
    if (!f) return;
    before = distance();
    if (Math.hypot(e.clientX - f.x, e.clientY - f.y) > 3) moved = true;
    if (!before) {
      box.x -= (e.clientX - f.x) * s;
      box.y -= (e.clientY - f.y) * s;
    }
    f.x = e.clientX;
    f.y = e.clientY;
    if (before && distance()) zoom(before / distance(), pointAt(e.clientX, e.clientY));
    draw();
  });
  ["pointerup", "pointercancel", "pointerleave"].forEach(function (name) {
    view.addEventListener(name, function (e) { delete fingers[e.pointerId]; });
  });
  view.addEventListener("click", function (e) { if (moved) e.preventDefault(); }, true);
  view.addEventListener("dragstart", function (e) { e.preventDefault(); });
}

/* The list. */
function relations(entry, word, edges, other) {
  var ul;
  if (!edges.length) return;
  add(entry, "div", word, "quiet");
  ul = add(entry, "ul");
  edges.forEach(function (e) {
    var li = add(ul, "li"), r = byName[e[other]];
    if (r) link(li, r, e[other]); else add(li, "span", e[other]);
    add(li, "span", " " + e.relation + (e.location && e.location.line ? " · " + place(e.location) : ""), "quiet");
  });
}
function showResource(r) {
  var entry = add(list, "div", null, "entry"), head = add(entry, "div"), name = add(head, "span", null, "name");
  entry.id = "r" + r.id;
  link(name, r, r.resource);
  if (r.critical) add(head, "span", "critical path", "critical");
  add(head, "span", [(r.turns || []).map(function (t) { return t.turn + (t.action === "converge" ? "" : " " + t.action); }).join(", "),
    place(r.location), seconds(r.seconds), clusterName(data.clusters[r.cluster])].filter(Boolean).join(" · "), "quiet");
  relations(entry, "after", r.after, "from");
  relations(entry, "before", r.before, "to");
  entry.dataset.words = entry.textContent.toLowerCase();
  r.entry = entry;
}
function select(r, scroll) {
  var was = selected;
  selected = r;
  [was, r].forEach(function (x) {
    if (!x) return;
    x.entry.classList.toggle("selected", x === r);
    if (x.row) x.row.classList.toggle("selected", x === r);
  });
  if (svg) {
    svg.querySelectorAll(".line").forEach(function (l) {
      l.classList.toggle("selected", l.dataset.from === String(r.box) || l.dataset.to === String(r.box));
    });
    svg.querySelectorAll(".box").forEach(function (b) { b.classList.toggle("selected", b.id === "b" + r.box); });
    if (scroll && r.row) center(r.row);
  }
}
function follow() {
  var m = /^#r(\d+)$/.exec(location.hash), r = m && byId[m[1]];
  if (!r) return;
  if (r.entry.hidden) {
    search.value = type.value = cluster.value = "";
    if (critical) critical.checked = false;
    filter();
  }
  select(r, true);
  r.entry.scrollIntoView();
}

resources.forEach(function (r) {
  if (!byName[r.resource]) byName[r.resource] = r;
  byId[r.id] = r;
  r.row = document.getElementById("n" + r.id);
  r.after = [];
  r.before = [];
});
data.relations.forEach(function (e) {
  if (e.implied) return;
  if (byName[e.to]) byName[e.to].after.push(e);
  if (byName[e.from]) byName[e.from].before.push(e);
});
showHead();
showTools();
if (svg) showPicture();
else add(page, "p", "There is no picture: Graphviz could not place the resources when this page was made.", "warning");
add(page, "h2", "Resources");
list = add(page, "div");
resources.forEach(showResource);
none = add(page, "p", "No resource matches.", "quiet");
filter();
window.addEventListener("hashchange", follow);
follow();
