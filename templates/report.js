// Keys, buttons and copying. The page is complete without this file: whatever
// needs it is hidden until it runs.
(function () {
  "use strict";
  var all = function (sel, root) { return Array.prototype.slice.call((root || document).querySelectorAll(sel)); };
  var status = document.getElementById("status");
  var help = document.getElementById("help");
  var text = document.getElementById("markdown-text");

  function say(message) { if (status) { status.textContent = message; } }

  // reveal opens whatever el is folded into.
  function reveal(el) {
    for (var p = el && el.parentElement; p; p = p.parentElement) {
      if (p.tagName === "DETAILS") { p.open = true; }
    }
  }

  // A stop is the line of each divergence that n and p go to.
  var stops = all(".divergence").map(function (d) {
    return d.querySelector(".line.pass, .line.fail, .line.both, mark.pass, mark.fail") || d.querySelector(".line.common") || d.querySelector("h3");
  }).filter(Boolean).map(function (el) { return el.closest(".line") || el; });
  var at = -1;

  function go(step) {
    if (!stops.length) { say("There is no divergence on this page."); return; }
    at = at < 0 ? (step > 0 ? 0 : stops.length - 1) : (at + step + stops.length) % stops.length;
    all(".current").forEach(function (el) { el.classList.remove("current"); });
    var el = stops[at];
    reveal(el);
    el.classList.add("current");
    el.tabIndex = -1;
    el.focus({ preventScroll: true });
    el.scrollIntoView({ block: "center", inline: "nearest" });
    say("Divergence " + (at + 1) + " of " + stops.length);
  }

  function fold() {
    var details = all("details");
    var open = details.some(function (d) { return !d.open; });
    details.forEach(function (d) { d.open = open; });
    all("[data-do=fold] span").forEach(function (el) { el.textContent = open ? "fold" : "unfold"; });
    say(open ? "Everything is unfolded." : "Everything is folded.");
  }

  function toggleHelp() {
    if (!help || !help.showModal) { return; }
    if (help.open) { help.close(); } else { help.showModal(); }
  }

  // copy puts s on the clipboard. Where the browser forbids that, as for a page
  // in a sandbox, it selects the text instead.
  function copy(s, button, fallback) {
    var done = function (word) {
      var old = button.getAttribute("data-label") || button.textContent;
      button.setAttribute("data-label", old);
      button.textContent = word;
      say(word);
      setTimeout(function () { button.textContent = old; }, 1600);
    };
    var select = function () { done(fallback() ? "Copied" : "Selected: press Ctrl+C"); };
    if (navigator.clipboard && navigator.clipboard.writeText) {
      navigator.clipboard.writeText(s).then(function () { done("Copied"); }, select);
    } else {
      select();
    }
  }

  function selectIn(el) {
    if (el.select) {
      reveal(el);
      el.focus();
      el.select();
    } else {
      var range = document.createRange();
      range.selectNodeContents(el);
      var selection = window.getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
    }
    try { return document.execCommand("copy"); } catch (e) { return false; }
  }

  var actions = {
    next: function () { go(1); },
    prev: function () { go(-1); },
    fold: fold,
    help: toggleHelp,
    markdown: function (b) { copy(text.value, b, function () { return selectIn(text); }); }
  };

  document.addEventListener("click", function (e) {
    var b = e.target.closest ? e.target.closest("button") : null;
    if (!b) { return; }
    if (b.hasAttribute("data-copy")) {
      copy(b.getAttribute("data-copy"), b, function () { return selectIn(b.previousElementSibling); });
    } else if (actions.hasOwnProperty(b.getAttribute("data-do"))) {
      actions[b.getAttribute("data-do")](b);
    }
  });

  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) { return; }
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName) || (help && help.open && e.key !== "?")) { return; }
    var action = { n: "next", p: "prev", f: "fold", "?": "help" }[e.key];
    if (action && help) { e.preventDefault(); actions[action](); }
  });

  window.addEventListener("hashchange", target);
  function target() {
    var el = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (el) { reveal(el); el.scrollIntoView({ block: "center" }); }
  }

  var opened = [];
  window.addEventListener("beforeprint", function () {
    opened = all("details.elided, details.text").filter(function (d) { return !d.open && !d.querySelector("textarea"); });
    opened.forEach(function (d) { d.open = true; });
  });
  window.addEventListener("afterprint", function () { opened.forEach(function (d) { d.open = false; }); });

  // filter shows the tests of the index that match what is asked for, in the order asked for.
  var filters = ["filter-text", "filter-kind", "filter-package", "sort"].map(function (id) { return document.getElementById(id); });
  function filter() {
    var words = filters[0].value.toLowerCase().split(/\s+/), kind = filters[1] && filters[1].value, pkg = filters[2] && filters[2].value;
    var by = filters[3].value, shown = 0, tests = all(".test");
    tests.forEach(function (t) {
      var text = t.textContent.toLowerCase();
      t.hidden = !(words.every(function (w) { return text.indexOf(w) >= 0; }) && (!kind || t.dataset.kind === kind) && (!pkg || t.dataset.package === pkg));
      shown += t.hidden ? 0 : 1;
    });
    all(".group").forEach(function (g) {
      var list = g.querySelector(".tests");
      all(".test", list).sort(function (a, b) {
        if (by === "name") { return a.dataset.name < b.dataset.name ? -1 : 1; }
        return by === "share" ? b.dataset.share - a.dataset.share : a.dataset.rank - b.dataset.rank;
      }).forEach(function (t) { list.appendChild(t); });
      g.hidden = !list.querySelector(".test:not([hidden])");
    });
    document.getElementById("shown").textContent = shown < tests.length ? shown + " of " + tests.length + " tests" : "";
  }
  if (filters[0]) {
    filters.forEach(function (el) { if (el) { el.addEventListener("input", filter); } });
    filters[0].form.addEventListener("submit", function (e) { e.preventDefault(); });
  }

  all(".js").forEach(function (el) { el.hidden = false; });
  target();
})();
