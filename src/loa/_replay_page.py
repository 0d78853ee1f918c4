"""The fixed parts of a replay's page: its style, its script and its frame of HTML."""

from __future__ import annotations

__all__ = ["ICONS", "PAGE", "SCRIPT", "STYLE"]

STYLE = """\
:root {
  color-scheme: light dark;
  --page: #fbf8f3; --text: #2a2420; --quiet: #665a4e; --edge: #d8cdbd; --raised: #efe7da;
  --accent: #1d5fa6; --on-accent: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #151311; --text: #ece5da; --quiet: #b0a392; --edge: #40382f; --raised: #26211c;
    --accent: #8dbcf2; --on-accent: #10202f;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1rem; max-width: 64rem;
  background: var(--page); color: var(--text); font: 1rem/1.45 system-ui, sans-serif;
}
h1 { margin: 0; font-size: 1.5rem; overflow-wrap: anywhere; }
h2 { margin: 0 0 .5rem; font-size: 1rem; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
dl { display: flex; flex-wrap: wrap; gap: .1rem 1.25rem; margin: .25rem 0 1rem; }
dl div { display: flex; gap: .4rem; min-width: 0; }
dt { color: var(--quiet); }
dt::after { content: ":"; }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
main { display: grid; grid-template-columns: minmax(0, 34rem) minmax(15rem, 1fr); gap: 1.5rem; }
#board svg { display: block; width: min(100%, 70vh); height: auto; margin: 0 auto; }
#controls { display: flex; justify-content: center; gap: .5rem; margin: .75rem 0; }
button {
  font: inherit; color: inherit; background: none; border: 1px solid transparent;
  border-radius: .35rem; cursor: pointer;
}
#controls button {
  width: 3.25rem; height: 2.5rem; background: var(--raised); border-color: var(--edge);
}
#controls button[aria-disabled="true"] { opacity: .45; cursor: default; }
#controls svg { width: 1.1rem; height: 1.1rem; fill: currentColor; vertical-align: middle; }
#play[aria-pressed="true"] .start, #play[aria-pressed="false"] .stop { display: none; }
button:hover { border-color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
#status { min-height: 2.9em; }
#comment { padding-left: .75rem; border-left: 3px solid var(--accent); white-space: pre-line; }
#comment:empty { display: none; }
#moves { position: relative; max-height: min(34rem, 78vh); overflow-y: auto; padding: 3px; }
#moves ol { margin: 0; padding: 0; list-style: none; }
#moves li {
  display: grid; grid-template-columns: 3rem 1fr 1fr; align-items: baseline;
  font-variant-numeric: tabular-nums;
}
#moves span { color: var(--quiet); text-align: right; padding-right: .5rem; }
#moves .skipped { text-align: left; padding-left: .5rem; }
#moves button { padding: .15rem .5rem; text-align: left; }
#moves button[aria-current] { background: var(--accent); color: var(--on-accent); }
#moves .commented::after { content: " \\2022"; }
kbd {
  padding: 0 .3em; border: 1px solid var(--edge); border-radius: .25em; background: var(--raised);
  font: .85em system-ui, sans-serif;
}
#keys { color: var(--quiet); font-size: .9rem; text-align: center; }
@media (max-width: 46rem) {
  main { grid-template-columns: minmax(0, 1fr); }
  #moves { max-height: 16rem; }
}
@media print { #controls, #keys { display: none; } #moves { max-height: none; } }
"""

SCRIPT = """\
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const last = data.moves.length;
  const picture = document.querySelector("#board svg");
  const groups = ["black", "white"].map((color) => picture.querySelector(".loa-" + color));
  const shapes = [...groups[0].querySelectorAll(".loa-piece, .loa-groove")].slice(0, 2);
  const mark = document.createElementNS(picture.namespaceURI, "path");
  const status = document.getElementById("status");
  const comment = document.getElementById("comment");
  const list = document.getElementById("moves");
  const play = document.getElementById("play");
  const buttons = [...list.querySelectorAll("button")];
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let ply = 0;
  let timer = null;

  mark.setAttribute("class", "loa-last-move");
  groups[0].before(mark);

  // The pieces after so many plies; the moves are known to be legal.
  const piecesAt = (count) => {
    const pieces = [new Set(data.black), new Set(data.white)];
    for (const move of data.moves.slice(0, count)) {
      if (move === null) continue;
      const [from, to] = move;
      const own = pieces[0].has(from) ? 0 : 1;
      pieces[own].delete(from);
      pieces[1 - own].delete(to);
      pieces[own].add(to);
    }
    return pieces;
  };

  const centre = (square) => {
    let column = square % 8;
    let row = data.size - 1 - Math.floor(square / 8);
    if (data.turned) {
      column = data.size - 1 - column;
      row = data.size - 1 - row;
    }
    return [column, row].map((index) => data.frame + data.square * (index + 0.5));
  };

  const name = (square) => "abcdefgh"[square % 8] + (Math.floor(square / 8) + 1);

  const drawPieces = (pieces, move, slides) => {
    pieces.forEach((squares, color) => {
      const drawn = [];
      for (const square of squares) {
        const [x, y] = centre(square);
        for (const shape of shapes) {
          const copy = shape.cloneNode(false);
          copy.setAttribute("cx", x);
          copy.setAttribute("cy", y);
          drawn.push(copy);
          if (slides && move !== null && square === move[1]) {
            const [fromX, fromY] = centre(move[0]);
            copy.animate(
              [{ transform: `translate(${fromX - x}px, ${fromY - y}px)` }, { transform: "none" }],
              { duration: 200, easing: "ease-out" },
            );
          }
        }
      }
      groups[color].replaceChildren(...drawn);
    });
  };

  const show = (wanted) => {
    const before = ply;
    ply = Math.min(Math.max(wanted, 0), last);
    const move = ply === 0 ? null : data.moves[ply - 1];
    const pieces = piecesAt(ply);
    drawPieces(pieces, move, ply === before + 1 && !still.matches);
    const corners = (move ?? []).map((square) => centre(square).map((at) => at - data.square / 2));
    const side = `h${data.square}v${data.square}h-${data.square}z`;
    mark.setAttribute("d", corners.map(([x, y]) => `M${x} ${y}${side}`).join(""));
    const names = pieces.map((squares) => [...squares].sort((a, b) => a - b).map(name).join(" "));
    picture.querySelector("title").textContent = data.captions[ply];
    picture.querySelector("desc").textContent = `Black: ${names[0]}. White: ${names[1]}.`;
    status.textContent = data.captions[ply];
    comment.textContent = data.comments[ply] ?? "";
    for (const button of buttons) {
      if (Number(button.dataset.ply) === ply) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    // Only the list moves, not the page.
    const current = buttons[ply];
    const top = current.offsetTop;
    const bottom = top + current.offsetHeight;
    if (top < list.scrollTop) list.scrollTop = top - 8;
    else if (bottom > list.scrollTop + list.clientHeight) {
      list.scrollTop = bottom - list.clientHeight + 8;
    }
    for (const [id, end] of [["first", 0], ["previous", 0], ["next", last], ["last", last]]) {
      document.getElementById(id).setAttribute("aria-disabled", String(ply === end));
    }
  };

  const pause = () => {
    clearInterval(timer);
    timer = null;
    play.setAttribute("aria-pressed", "false");
    status.setAttribute("aria-live", "polite");
  };

  const toggle = () => {
    if (timer !== null) {
      pause();
      return;
    }
    if (ply === last) show(0);
    play.setAttribute("aria-pressed", "true");
    // A voice that reads every move would come late.
    status.setAttribute("aria-live", "off");
    timer = setInterval(() => {
      show(ply + 1);
      if (ply === last) pause();
    }, 1000 * data.seconds);
  };

  const go = (wanted) => {
    pause();
    show(wanted);
  };

  const actions = {
    first: () => go(0),
    previous: () => go(ply - 1),
    play: toggle,
    next: () => go(ply + 1),
    last: () => go(last),
  };
  const keys = {
    Home: "first", ArrowLeft: "previous", " ": "play", ArrowRight: "next", End: "last",
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button === null) return;
    if (button.dataset.ply === undefined) actions[button.id]();
    else go(Number(button.dataset.ply));
    // After a click with the mouse the keys are for the game, not for the button.
    if (event.detail > 0) button.blur();
  });

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!Object.hasOwn(keys, event.key)) return;
    // A button that was reached with the keyboard is pressed by the space bar.
    if (event.key === " " && event.target.closest("button") !== null) return;
    event.preventDefault();
    actions[keys[event.key]]();
  });

  show(0);
})();
"""

PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header>
<h1 dir="auto">{title}</h1>
{headers}
</header>
<main>
<section aria-label="Board">
<div id="board">
{picture}
</div>
<div id="controls" role="group" aria-label="Replay">
{controls}
</div>
<p id="status" role="status" aria-live="polite">{caption}</p>
<p id="comment" dir="auto">{comment}</p>
<p id="keys"><kbd>←</kbd> <kbd>→</kbd> one move, <kbd>Home</kbd> <kbd>End</kbd> start and end,
<kbd>Space</kbd> play or pause</p>
<noscript><p>The board shows the start: to replay the game the page needs JavaScript.</p></noscript>
</section>
<section aria-labelledby="moves-title">
<h2 id="moves-title">Moves</h2>
<div id="moves">
{moves}
</div>
</section>
</main>
<script id="data" type="application/json">{data}</script>
<script>{script}</script>
</body>
</html>
"""

# Drawn rather than written: not every font has these signs.
ICONS = {
    "first": '<path d="M3 3h2.5v14H3zM17 3v14L7 10z"/>',
    "previous": '<path d="M13.5 3l-7 7 7 7 1.8-1.8L10.1 10l5.2-5.2z"/>',
    "play": '<path class="start" d="M5 3v14l11-7z"/>'
    '<path class="stop" d="M4 3h4v14H4zM12 3h4v14h-4z"/>',
    "next": '<path d="M6.5 3l7 7-7 7-1.8-1.8L9.9 10 4.7 4.8z"/>',
    "last": '<path d="M3 3v14l10-7zM14.5 3H17v14h-2.5z"/>',
}
