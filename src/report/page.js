(function () {
  "use strict";
  var root = document.documentElement, panel = document.getElementById("panel"), source = document.getElementById("source");
  root.classList.add("js");

  function dark() {
    var chosen = root.getAttribute("data-theme");
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }
  function theme() { root.setAttribute("data-theme", dark() ? "light" : "dark"); }
  document.getElementById("theme").addEventListener("click", theme);

  var filters = document.getElementById("filters");
  var items = Array.prototype.slice.call(document.querySelectorAll("[data-f]"));
  var shown = document.getElementById("shown");
  function filter() {
    if (!filters) return;
    var on = {}, role = filters.elements.role ? filters.elements.role.value : "";
    var words = filters.elements.words.value.toLowerCase(), details = filters.elements.details.checked, count = 0;
    filters.querySelectorAll("input[name=family]").forEach(function (box) { on[box.value] = box.checked; });
    items.forEach(function (item) {
      var keep = on[item.dataset.f] !== false && (!role || item.dataset.r === role) && (details || !item.dataset.o) &&
        (!words || item.textContent.toLowerCase().indexOf(words) >= 0);
      item.classList.toggle("hidden", !keep);
      if (keep && item.tagName === "LI") count += 1;
    });
    shown.textContent = count + " shown";
  }
  if (filters) {
    filters.addEventListener("input", filter);
    filters.addEventListener("submit", function (event) { event.preventDefault(); });
    document.getElementById("all").addEventListener("click", function () { set(true); });
    document.getElementById("none").addEventListener("click", function () { set(false); });
  }
  function set(value) {
    filters.querySelectorAll("input[name=family]").forEach(function (box) { box.checked = value; });
    filter();
  }

  /* The fact that a jump came from stays marked beside the line it leads to, and the other way round. */
  function here(element) {
    document.querySelectorAll(".here").forEach(function (old) { old.classList.remove("here"); });
    if (element) element.classList.add("here");
  }
  document.addEventListener("click", function (event) {
    var link = event.target.closest && event.target.closest("a[href^='#']");
    if (link) here(link.closest("li[id], .l[id]"));
  });
  function reveal() {
    var goal = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!goal) return;
    goal.classList.remove("hidden");
    var folded = goal.closest("details");
    if (folded && !folded.open) { folded.open = true; goal.scrollIntoView(); }
  }
  addEventListener("hashchange", reveal);
  reveal();
  var opening = location.hash.length < 2 && document.getElementById(source.dataset.open || "");
  if (opening && getComputedStyle(source).overflowY !== "visible")
    source.scrollTop = opening.getBoundingClientRect().top - source.getBoundingClientRect().top;

  var stops = Array.prototype.slice.call(source.querySelectorAll(".l.f")), at = -1;
  function step(by) {
    var tries = stops.length;
    do { at = (at + by + stops.length) % stops.length; tries -= 1; }
    while (tries > 0 && !stops[at].querySelector(".m a:not(.hidden)"));
    if (stops[at]) { location.hash = stops[at].id; stops[at].querySelector(".m a").focus({ preventScroll: true }); }
  }
  addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.key === "j" || event.key === "n") step(1);
    else if (event.key === "k" || event.key === "p") step(-1);
    else if (event.key === "t") theme();
    else if (event.key === "/" && filters) { event.preventDefault(); filters.elements.words.focus(); }
  });
})();
