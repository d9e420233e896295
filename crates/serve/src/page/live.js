// Shows what the server sends. Everything is rendered there; here parts of the
// page are replaced when they differ.
"use strict";
(() => {
  const main = document.querySelector("main");
  const status = document.getElementById("connection");
  const shown = new Map();
  let over = status.textContent, lost = null;

  function say() {
    status.textContent = over ||
      (lost ? "No connection since " + lost.toLocaleTimeString() + ". Trying again." : "");
  }

  function ago() {
    for (const time of document.querySelectorAll("time[data-ms]")) {
      const s = Math.max(0, Math.round((Date.now() - time.dataset.ms) / 1000));
      const text = s < 90 ? s + " s ago" : s < 5400 ? Math.round(s / 60) + " min ago"
        : new Date(+time.dataset.ms).toLocaleString();
      if (time.textContent !== text) time.textContent = text;
    }
  }

  function show(state) {
    document.title = state.title;
    over = state.last;
    lost = null;
    const ids = state.parts.map(([id]) => id);
    for (const part of [...main.children]) {
      if (!ids.includes(part.id)) part.remove();
    }
    for (const [id, html] of state.parts) {
      let part = document.getElementById(id);
      if (!part) {
        part = document.createElement("section");
        part.id = id;
        main.append(part);
      } else if (shown.get(id) === html) {
        continue;
      }
      part.innerHTML = html;
      shown.set(id, html);
    }
    document.body.dataset.updates = 1 + Number(document.body.dataset.updates || 0);
    say();
    ago();
  }

  function follow() {
    const source = new EventSource(document.body.dataset.events);
    source.onopen = () => { lost = null; say(); };
    source.onmessage = event => show(JSON.parse(event.data));
    source.onerror = () => {
      lost = lost || new Date();
      say();
      // The browser comes back by itself, but not after an answer it does not like.
      if (source.readyState === EventSource.CLOSED) setTimeout(follow, 3000);
    };
  }

  follow();
  setInterval(ago, 1000);
})();
