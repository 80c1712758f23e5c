// SPDX-License-Identifier: Apache-2.0
// This script steps through the interface that the page holds as JSON. The steps are kept in the address, after the #, so that
// a link shows a word; a click is a step. Nothing is read but the page itself.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const words = {
    proved: "the judge has checked it", claimed: "an engine says so; the judge has not checked it", seen: "the type was run; this is what it did",
    unknown: "it is not known", uncovered: "proved but for a run-time check that is left out",
  };

  // A step is {name, to, set}. path is how the object got to the current state; chosen is a call that does not go on.
  let path = [];
  let chosen = null;

  function el(tag, attributes, ...children) {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes || {})) {
      if (v === null || v === undefined || v === false) continue;
      if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
      else e.setAttribute(k, v === true ? "" : v);
    }
    for (const c of children) if (c !== null && c !== undefined) e.append(c);
    return e;
  }

  const here = () => (path.length ? path[path.length - 1].to : -1);

  // choices are what can be clicked in a state: steps, and calls that do not go on.
  function choices(state) {
    const list = [];
    if (state < 0) {
      for (const s of data.starts) list.push({ name: s.name, key: s.name, to: s.to, set: s.set || {}, cell: s });
      for (const b of data.barred) list.push({ name: b.name, key: b.name, to: null, cell: b });
      return list;
    }
    for (const cell of data.states[state].cells) {
      const call = data.calls[cell.call];
      for (const e of cell.to || []) {
        const name = call.name + (e.outcome ? "=" + e.outcome : "");
        list.push({ name: name, key: name, to: e.to, set: e.set || {}, cell: cell });
      }
      if (!(cell.to || []).length) list.push({ name: call.name, key: call.name, to: null, cell: cell });
    }
    const rank = (c) => (c.to !== null ? 0 : c.cell.verdict === "fails" ? 1 : c.cell.verdict === "may-fail" ? 2 : 3);
    return list.map((c, k) => [c, k]).sort((a, b) => rank(a[0]) - rank(b[0]) || a[1] - b[1]).map((x) => x[0]);
  }

  // fate is what a choice comes to, in words.
  function fate(c) {
    if (c.to !== null) return "→ " + c.to;
    switch (c.cell.verdict) {
      case "fails": return "fails";
      case "may-fail": return "may fail";
      case "allowed": return "never returns";
    }
    return c.cell.seen ? "seen" : "unknown";
  }

  function take(c) {
    if (c.to === null) { chosen = c; draw(c.key); return; }
    path.push({ name: c.name, to: c.to, set: c.set });
    chosen = null;
    draw(c.key);
  }

  function back() {
    if (chosen) chosen = null;
    else if (path.length > first()) path.pop();
    draw(null);
  }

  function reset() { path = []; chosen = null; begin(); draw(null); }

  // The only constructor is made at once.
  const only = data.starts.length === 1 && data.barred.length === 0;
  const first = () => (only ? 1 : 0);
  function begin() { if (only) path.push({ name: data.starts[0].name, to: data.starts[0].to, set: data.starts[0].set || {} }); }

  // registers are what is remembered: a constant, or an expression with the step that gave it.
  function registers() {
    let held = {};
    path.forEach((s, n) => {
      const next = {};
      for (const r of data.states[s.to].registers || []) {
        if (s.set[r.name] !== undefined) {
          const constant = /^(-?\d+|true|false)$/.test(s.set[r.name]);
          next[r.name] = s.set[r.name] + (constant ? "" : " of " + s.name + ", step " + (n + 1));
        } else next[r.name] = held[r.name] || "?";
      }
      held = next;
    });
    return held;
  }

  function mark(evidence) { return el("span", { class: "mark " + evidence.split(" ")[0], title: words[evidence] || evidence }, evidence); }

  function source(lines, n) {
    const pre = el("pre", { class: "source", tabindex: "0", "aria-label": "source" });
    for (const l of lines) pre.append(el("span", { class: l.n === n ? "hit" : null }, el("i", {}, l.n + " "), l.text));
    return pre;
  }

  // explain says why the chosen call does not go on.
  function explain() {
    const box = $("why");
    box.replaceChildren();
    box.className = "why";
    if (!chosen) return;
    const cell = chosen.cell;
    const forbidden = cell.verdict === "fails" || cell.verdict === "may-fail";
    if (!forbidden) box.className = "why open";
    const says = { fails: " fails here: every run errs.", "may-fail": " may fail here: some run errs, and another may return.", allowed: " does not return here.", unknown: ": it is not known what it does here." };
    box.append(el("p", {}, el("b", {}, chosen.name), says[cell.verdict] || says.unknown, " ", mark(cell.evidence)));
    for (const e of cell.errors || []) {
      box.append(el("p", {}, e.message));
      if (e.at) box.append(el("p", { class: "where" }, e.at));
      if (e.source) box.append(source(e.source, e.line));
    }
    if (cell.reason) box.append(el("p", {}, cell.reason));
    if (cell.seen) box.append(el("p", {}, cell.seen));
    if ((cell.word || []).length) box.append(el("p", {}, "A shortest word: "), el("p", { class: "mono" }, cell.word.join("  ")));
  }

  // after says what is open of a step that was taken.
  function caution(state) {
    if (chosen || state < 0) return;
    const checks = data.states[state].checks || [];
    if (!checks.length) return;
    const box = $("why");
    box.className = "why open";
    box.append(el("p", {}, checks.length === 1 ? "1 run-time check is not covered in this state:" : checks.length + " run-time checks are not covered in this state:"), el("ul", {}, ...checks.map((c) => el("li", { class: "where" }, c))));
  }

  function drawNow(state) {
    const box = $("now");
    box.replaceChildren();
    if (state < 0) { box.append(el("b", {}, "Before the constructor")); return; }
    const s = data.states[state];
    box.append(el("b", { id: "where", tabindex: "-1" }, "State " + state));
    if (s.label) box.append(el("span", { class: "label" }, s.label));
    const held = registers();
    if (Object.keys(held).length) {
      const dl = el("dl", { "aria-label": "registers" });
      for (const [k, v] of Object.entries(held)) dl.append(el("dt", {}, k + " ="), el("dd", {}, v));
      box.append(dl);
    }
  }

  function draw(focus) {
    const state = here();
    document.body.dataset.state = state;
    document.body.dataset.path = path.map((s) => s.name).join(" ");
    document.body.dataset.chosen = chosen ? chosen.name : "";
    drawNow(state);
    explain();
    caution(state);

    const list = $("calls");
    list.replaceChildren();
    choices(state).forEach((c, n) => {
      const b = el("button", {
        type: "button", class: "call" + (c.to === null ? (c.cell.verdict === "unknown" || c.cell.verdict === "allowed" ? " open" : " no") : ""), "data-key": c.key,
        "aria-pressed": c.to === null ? String(!!chosen && chosen.key === c.key) : null,
        onclick: () => take(c), onmouseenter: () => aim(c.to), onmouseleave: () => aim(null), onfocus: () => aim(c.to), onblur: () => aim(null),
      }, el("span", { class: "name" }, c.name), el("span", { class: "to" }, fate(c)), mark(c.cell.evidence));
      if (n < 9) b.setAttribute("aria-keyshortcuts", String(n + 1));
      list.append(el("li", {}, b));
    });
    $("count").textContent = String(choices(state).length);

    const steps = $("path");
    steps.replaceChildren();
    if (!path.length && !chosen) steps.append(el("li", { class: "none" }, "nothing yet"));
    for (const s of path) steps.append(el("li", {}, s.name));
    if (chosen) steps.append(el("li", { class: "err" }, chosen.name + " ✕"));
    $("back").disabled = !chosen && path.length <= first();
    $("reset").disabled = $("back").disabled;

    drawPicture(state);
    announce(state);
    const hash = path.map((s) => s.name).concat(chosen ? [chosen.name] : []).map(encodeURIComponent).join("&");
    try { history.replaceState(null, "", "#" + hash); } catch (e) { /* a frame may forbid it */ }
    if (focus) {
      const again = [...list.querySelectorAll("button")].find((b) => b.dataset.key === focus);
      (again || list.querySelector("button") || $("back")).focus({ preventScroll: true });
    }
  }

  function announce(state) {
    const s = state < 0 ? null : data.states[state];
    let text = s ? "State " + state + (s.label ? ": " + s.label : "") : "Before the constructor";
    if (chosen) text = chosen.name + " " + fate(chosen) + ". " + text;
    else if (path.length) text = "After " + path[path.length - 1].name + ". " + text;
    $("live").textContent = text;
  }

  function aim(state) {
    document.querySelectorAll(".view .aim").forEach((e) => e.classList.remove("aim"));
    if (state !== null && state !== here()) {
      const g = document.querySelector('.view [data-state="' + state + '"]');
      if (g) g.classList.add("aim");
    }
  }

  let shown = null;
  function drawPicture(state) {
    document.querySelectorAll(".view .here, .view .took, .grid .here").forEach((e) => e.classList.remove("here", "took"));
    document.querySelectorAll('.grid [data-col="' + state + '"]').forEach((e) => e.classList.add("here"));
    const g = document.querySelector('.view [data-state="' + state + '"]');
    document.querySelectorAll(".view [data-state]").forEach((e) => e.removeAttribute("aria-current"));
    if (!g) return;
    g.classList.add("here");
    g.setAttribute("aria-current", "true");
    const from = path.length > 1 ? path[path.length - 2].to : -1;
    document.querySelectorAll(".view [data-edges]").forEach((e) => {
      if (e.dataset.edges.split(" ").includes(from + ">" + state)) e.classList.add("took");
    });
    if (shown === state) return;
    shown = state;
    const view = $("view"), a = view.getBoundingClientRect(), b = g.getBoundingClientRect();
    if (b.left < a.left || b.right > a.right || b.top < a.top || b.bottom > a.bottom) {
      view.scrollBy(b.left + b.width / 2 - a.left - a.width / 2, b.top + b.height / 2 - a.top - a.height / 2);
    }
  }

  // shortest is a shortest path to a state.
  function shortest(target) {
    const queue = [[-1, []]], seen = new Set([-1]);
    while (queue.length) {
      const [at, steps] = queue.shift();
      if (at === target) return steps;
      for (const c of choices(at)) {
        if (c.to === null || seen.has(c.to)) continue;
        seen.add(c.to);
        queue.push([c.to, steps.concat([{ name: c.name, to: c.to, set: c.set }])]);
      }
    }
    return null;
  }

  function go(target) {
    const steps = shortest(target);
    if (!steps) { $("live").textContent = "No word leads to state " + target; return; }
    path = steps; chosen = null; draw(null);
  }

  // The picture: its size, and its states as buttons.
  const svg = document.querySelector(".view svg");
  const width = svg ? Number(svg.getAttribute("width")) : 0, height = svg ? Number(svg.getAttribute("height")) : 0;
  const smallest = 0.25, largest = 3;
  let scale = 1;
  function zoom(to) {
    scale = Math.min(largest, Math.max(smallest, to));
    svg.setAttribute("width", width * scale);
    svg.setAttribute("height", height * scale);
  }
  const room = () => ($("view").clientWidth - 4) / width;
  // A small picture is drawn a little larger; a large one so that its text can still be read, and the view scrolls.
  function fit() { zoom(Math.max(0.6, Math.min(1.3, room()))); }
  if (svg) {
    $("in").onclick = () => zoom(scale * 1.25);
    $("out").onclick = () => zoom(scale / 1.25);
    $("fit").onclick = () => zoom(Math.min(1.3, room()));
    fit();
    document.querySelectorAll(".view [data-state]").forEach((g) => {
      const target = Number(g.dataset.state);
      g.addEventListener("click", () => go(target));
      g.addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); go(target); } });
    });
  }

  $("back").onclick = back;
  $("reset").onclick = reset;
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) return;
    if (e.key === "Backspace" || e.key === "b") { e.preventDefault(); back(); }
    else if (e.key === "r") reset();
    else if (/^[1-9]$/.test(e.key)) {
      const b = $("calls").querySelectorAll("button")[Number(e.key) - 1];
      if (b) b.click();
    }
  });

  // read takes the steps from the address.
  function read() {
    path = []; chosen = null;
    const steps = location.hash.slice(1).split("&").filter((s) => s).map(decodeURIComponent);
    for (const name of steps) {
      if (chosen) break;
      const c = choices(here()).find((x) => x.name === name);
      if (!c) break;
      if (c.to === null) chosen = c;
      else path.push({ name: c.name, to: c.to, set: c.set });
    }
    if (!path.length && !chosen) begin();
    draw(null);
  }
  window.addEventListener("hashchange", read);
  document.body.classList.add("live");
  $("sim").hidden = false;
  read();
})();
