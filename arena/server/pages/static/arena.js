// Keys and live events. Pages can be read without this file.
"use strict";

// A match: steps are links; following one replaces the part of the page that changes.
async function step(link) {
  const answer = await fetch(link.href);
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("walk");
  document.getElementById("walk").replaceWith(fresh);
  history.replaceState(null, "", link.href);
}

const walk = () => document.getElementById("walk");
if (walk()) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, textarea")) return;
    const link = walk().querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!link) return;
    event.preventDefault();
    if (link.href) step(link);
  });
}

// A ladder: each new game becomes the first row of the list.
for (const list of document.querySelectorAll("[data-games]")) {
  const rows = list.querySelector("tbody");
  new EventSource(list.dataset.games).addEventListener("game", (event) => {
    const game = JSON.parse(event.data);
    const row = document.createElement("tr");
    const link = document.createElement("a");
    link.href = `/matches/${game.id}`;
    link.textContent = game.id;
    for (const value of [link, game.players.join(" – "), game.result, game.length, "now"]) {
      row.insertCell().append(value);
    }
    row.cells[3].className = "number";
    rows.prepend(row);
    while (rows.rows.length > 30) rows.lastElementChild.remove();
  });
}

// A broadcast: positions are drawn, and escaped, by the server.
for (const board of document.querySelectorAll("[data-positions]")) {
  new EventSource(board.dataset.positions).addEventListener("position", (event) => {
    const position = JSON.parse(event.data);
    board.innerHTML = position.html;
    if (!position.match) return; // a live game has no number of a match
    const link = document.createElement("a");
    link.href = `/matches/${position.match}`;
    link.textContent = `Match ${position.match}`;
    document.getElementById("match").replaceChildren(link);
  });
}
