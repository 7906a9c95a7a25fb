// Text whose contrast to what is behind it is below 4.5, from computed styles.
(function () {
	function parse(s) { var m = s.match(/[\d.]+/g).map(Number); return m.length > 3 ? m : m.concat(1); }
	function lum(c) { var v = c.slice(0, 3).map(function (x) { x /= 255; return x <= 0.03928 ? x / 12.92 : Math.pow((x + 0.055) / 1.055, 2.4); }); return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; }
	function behind(e) { for (; e; e = e.parentElement) { var c = parse(getComputedStyle(e).backgroundColor); if (c[3] > 0) { return c; } } return [255, 255, 255, 1]; }
	var bad = {}, n = 0, w = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (w.nextNode()) {
		var e = w.currentNode.parentElement;
		if (!w.currentNode.data.trim() || /^(STYLE|SCRIPT)$/.test(e.tagName) || !e.checkVisibility()) { continue; }
		n++;
		var style = getComputedStyle(e), f = lum(parse(e.closest("svg") ? style.fill : style.color)), b = lum(behind(e));
		var ratio = (Math.max(f, b) + 0.05) / (Math.min(f, b) + 0.05);
		if (ratio < 4.5) { bad[e.tagName + "." + e.className + " in " + e.parentElement.className + " " + ratio.toFixed(2)] = 1; }
	}
	return n < 20 ? ["only " + n + " texts"] : Object.keys(bad);
})()
