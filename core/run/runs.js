// SPDX-License-Identifier: Apache-2.0
var order = ["failed", "changed", "would_change", "refreshed", "would_refresh", "skipped", "not_reached", "excluded", "unchanged"];
var words = { not_reached: "not reached", unchanged: "ok", would_change: "would change", would_refresh: "would be refreshed" };
function word(status) { return words[status] || status; }
function date(text) {
  var d = new Date(text);
  return isNaN(d) ? String(text || "unknown") : d.toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
}
function outcome(run) {
  if (run.status === "refused") return "refused";
  if (run.interrupted) return "interrupted by " + run.interrupted;
  if (typeof run.exit === "number") return "exit status " + run.exit;
  if (run.ended) return "ended";
  return run.in_progress ? "in progress" : "did not end: it was killed, or the machine went down";
}
function counts(run, pressed) {
  var list = add(page, "ul", null, "counts"), c = run.counts || {}, first;
  function one(key, text, n) {
    var b = add(add(list, "li"), "button");
    b.type = "button";
    add(b, "b", String(n));
    add(b, "span", " " + text, key);
    b.setAttribute("aria-pressed", "false");
    b.onclick = function () {
      var buttons = list.querySelectorAll("button");
      for (var i = 0; i < buttons.length; i++) buttons[i].setAttribute("aria-pressed", "false");
      b.setAttribute("aria-pressed", "true");
      pressed(key);
    };
    return b;
  }
  first = one("", "resources", c.total || 0);
  order.forEach(function (key) { if (c[key]) one(key, word(key), c[key]); });
  first.setAttribute("aria-pressed", "true");
}

/* One run. */
function text(to, t, changed) {
  var pre = add(to, "pre");
  if (!changed) { pre.textContent = t; return; }
  t.split("\n").forEach(function (line) {
    add(pre, "span", line, line[0] === "+" ? "a" : line[0] === "-" ? "r" : "s");
  });
}
function lines(v) { return typeof v === "string" && v.split("\n").length <= 1000; }
/* What is removed and added, by the longest common subsequence of the lines. */
function compare(from, to) {
  var a = from.replace(/\n$/, "").split("\n"), b = to.replace(/\n$/, "").split("\n"), t = [], i, j, out = [];
  if (from === "") a = [];
  if (to === "") b = [];
  for (i = a.length; i >= 0; i--) {
    t[i] = [];
    for (j = b.length; j >= 0; j--)
      t[i][j] = i === a.length || j === b.length ? 0 : a[i] === b[j] ? t[i + 1][j + 1] + 1 : Math.max(t[i + 1][j], t[i][j + 1]);
  }
  for (i = j = 0; i < a.length || j < b.length;)
    if (i < a.length && j < b.length && a[i] === b[j]) { out.push("  " + a[i++]); j++; }
    else if (i < a.length && (j === b.length || t[i + 1][j] >= t[i][j + 1])) out.push("- " + a[i++]);
    else out.push("+ " + b[j++]);
  return out.join("\n");
}
function change(to, c) {
  var row = add(to, "tr"), cell;
  add(row, "th", c.attribute);
  cell = add(row, "td");
  if (c.message) add(cell, "p", c.message);
  else if (lines(c.from) && lines(c.to) && (c.from + c.to).indexOf("\n") >= 0) text(cell, compare(c.from, c.to), true);
  else add(cell, "p", show(c.from) + " → " + show(c.to));
}
function entry(to, e) {
  var box = add(to, "div", null, "entry"), head = add(box, "div"), table;
  box.dataset.status = e.status || "";
  if (e.title === undefined) {
    add(head, "span", e.level || "note", "status " + (e.level || ""));
    if (e.code) add(head, "code", e.code, "quiet");
    add(box, "p", e.message);
  } else {
    add(head, "span", e.type + "[" + e.title + "]", "name");
    add(head, "span", word(e.status), "status " + e.status);
    if (e.cause) add(head, "span", e.cause === "drift" ? "drift" : "manifest changed", e.cause === "drift" ? "warning" : "quiet");
    if (e.action && e.action !== "converge") add(head, "span", "action " + e.action, "quiet");
    add(head, "span", [place(e.location), seconds(e.seconds)].filter(Boolean).join(" · "), "quiet");
    if (e.reason) add(box, "p", e.reason, e.status === "failed" ? "failed" : "");
    if (e.quote) text(box, e.quote);
    if (e.hint) add(box, "p", e.hint, "quiet");
    if ((e.changes || []).length) {
      table = add(box, "table");
      e.changes.forEach(function (c) { change(table, c); });
    }
    if (e.created && typeof e.created === "object") {
      table = add(box, "table");
      Object.keys(e.created).forEach(function (k) { change(table, { attribute: k, message: show(e.created[k]) }); });
    }
    (e.log || []).forEach(function (l) {
      add(box, "p", (l.level ? l.level + ": " : "") + (l.label ? l.label + ": " : "") + (l.message || show(l)), l.level || "quiet");
    });
    if (e.notified_by) add(box, "p", "notified by " + [].concat(e.notified_by).map(show).join(", "), "quiet");
  }
  box.dataset.words = box.textContent.toLowerCase();
}
function timeline(events) {
  var slow = events.filter(function (e) { return e.title !== undefined && e.seconds > 0; })
    .sort(function (a, b) { return b.seconds - a.seconds; }).slice(0, 15), table;
  if (!slow.length) return;
  add(page, "h2", "Longest");
  table = add(page, "table", null, "bars");
  slow.forEach(function (e) {
    var row = add(table, "tr"), bar;
    add(row, "td", e.type + "[" + e.title + "]", "name");
    bar = add(add(row, "td"), "div", null, "bar " + e.status);
    bar.style.width = Math.max(1, 100 * e.seconds / slow[0].seconds) + "%";
    add(row, "td", seconds(e.seconds));
  });
}
function showRun(run) {
  var events = run.events || run.resources || [], status = "", search, list, none;
  function filter() {
    var q = search.value.toLowerCase(), entries = list.children, shown = 0;
    for (var i = 0; i < entries.length; i++) {
      var e = entries[i], ok = (!status || e.dataset.status === status) && e.dataset.words.indexOf(q) >= 0;
      e.hidden = !ok;
      if (ok) shown++;
    }
    none.hidden = shown > 0;
  }
  document.title = run.plan ? "rhost plan " + run.plan : "rhost run " + run.run;
  add(page, "h1", run.plan ? "Plan " + run.plan : "Run " + run.run);
  add(page, "p", [run.noop ? "dry run" : "", date(run.started), seconds(run.seconds), run.plan ? "machine " + show((run.machine || {}).name) : outcome(run), "rhost " + run.rhost].filter(Boolean).join(" · "), "quiet");
  (run.problems || []).forEach(function (p) { add(page, "p", "The journal: " + p, "warning"); });
  if (run.current) add(page, "p", "Under way when the run was cut off: " + (run.current.resource || show(run.current)), "failed");
  counts(run, function (key) { status = key; filter(); });
  timeline(events);
  add(page, "h2", "Resources");
  search = add(page, "input");
  search.type = "search";
  search.placeholder = "Search: name, attribute, value, file";
  search.setAttribute("aria-label", "Search");
  search.oninput = filter;
  list = add(page, "div");
  (run.errors || []).forEach(function (e) {
    entry(list, { level: "error", code: e.code, message: (e.location ? place(e.location) + ": " : "") + e.message });
    if (e.hint) entry(list, { level: "hint", message: e.hint });
  });
  (run.log || []).forEach(function (l) { entry(list, l); });
  events.slice().sort(function (a, b) {
    var x = order.indexOf(a.status), y = order.indexOf(b.status);
    return (x < 0 ? -1 : x) - (y < 0 ? -1 : y) || (a.seq || 0) - (b.seq || 0);
  }).forEach(function (e) { entry(list, e); });
  none = add(page, "p", events.length ? "No resource matches." : run.errors ? "The run was refused: nothing was changed." : "The run changed nothing.", "quiet");
  filter();
  if (!run.rollback) return;
  add(page, "h2", "Rollback");
  add(page, "p", ["run " + run.rollback.run, date(run.rollback.started), seconds(run.rollback.seconds), outcome(run.rollback)].join(" · "), "quiet");
  list = add(page, "div");
  (run.rollback.log || []).concat(run.rollback.resources || []).forEach(function (e) { entry(list, e); });
}

/* Several runs. */
function showRuns(runs) {
  var table, most = 1;
  document.title = "rhost runs";
  add(page, "h1", "Runs");
  add(page, "p", runs.length + " runs, newest first.", "quiet");
  table = add(page, "table", null, "runs");
  runs.forEach(function (r) {
    var c = r.counts || {};
    most = Math.max(most, (c.failed || 0) + (c.changed || 0) + (c.refreshed || 0) + (c.skipped || 0) + (c.not_reached || 0));
  });
  runs.forEach(function (r) {
    var row = add(table, "tr", null, "entry"), c = r.counts || {}, cell, stack;
    cell = add(row, "td");
    add(cell, "div", date(r.started));
    add(cell, "code", r.run, "quiet");
    cell = add(row, "td", null, "wide");
    cell.style.width = "35%";
    stack = add(cell, "div", null, "stack");
    order.slice(0, 7).forEach(function (k) {
      if (c[k]) add(stack, "span", "", k).style.width = 100 * c[k] / most + "%";
    });
    add(cell, "div", outcome(r) + (r.seconds ? " · " + seconds(r.seconds) : ""), "quiet");
    cell = add(row, "td");
    order.slice(0, 7).forEach(function (k) { if (c[k]) add(cell, "div", c[k] + " " + word(k), k); });
    add(cell, "div", (c.unchanged || 0) + " ok of " + (c.total || 0), "quiet");
  });
}

if (Array.isArray(data)) showRuns(data); else showRun(data);
