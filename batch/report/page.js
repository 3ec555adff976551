"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const make = (tag, text, given = {}) => {
    const element = Object.assign(document.createElement(tag), given);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const data = JSON.parse($("data").textContent);
  const PAGE = 50;

  // ---------------------------------------------------------------- wide tables

  // Says that a box scrolls sideways, as long as more of it is to the right.
  const watch = (box) => {
    const hint = make("p", "Scroll sideways to see all columns \u2192", { className: "hint", hidden: true });
    box.before(hint);
    const update = () => {
      const more = box.scrollWidth - box.clientWidth;
      hint.hidden = more <= 1;
      box.classList.toggle("more", more - box.scrollLeft > 1);
    };
    box.addEventListener("scroll", update, { passive: true });
    const observer = new ResizeObserver(update);
    for (const part of [box, ...box.children]) observer.observe(part);
  };
  document.querySelectorAll(".scroll").forEach(watch);

  // ---------------------------------------------------------------- sorting

  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number"
      ? a - b
      : String(a).localeCompare(String(b), "en", { numeric: true });

  // The first click sorts numbers from the greatest and texts from A; the next one reverses.
  const reorder = (heads, head, numeric) => {
    const was = head.getAttribute("aria-sort");
    const order = was === "none" ? (numeric ? "descending" : "ascending")
      : was === "ascending" ? "descending" : "ascending";
    for (const other of heads) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", order);
    return order === "ascending" ? 1 : -1;
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = head.querySelector("button");
      const numeric = button.dataset.kind === "number";
      const value = (row) => {
        const text = row.cells[column].dataset.value;
        return numeric ? Number(text) : text;
      };
      button.addEventListener("click", () => {
        const sign = reorder(heads, head, numeric);
        const rows = [...table.tBodies[0].rows];
        rows.sort((a, b) => sign * compare(value(a), value(b)));
        table.tBodies[0].append(...rows);
      });
    });
  }

  for (const input of document.querySelectorAll("input.filter-rows")) {
    const part = input.closest("section");
    const rows = [...part.querySelector("table.sortable").tBodies[0].rows];
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      for (const row of rows) row.hidden = !row.cells[0].dataset.value.toLowerCase().includes(wanted);
      const left = rows.filter((row) => !row.hidden).length;
      part.querySelector("output.count").textContent = `${left} of ${rows.length}`;
    });
  }

  // ---------------------------------------------------------------- the list of results

  const columns = data.columns;
  const at = Object.fromEntries(columns.map((name, k) => [name, k]));
  // The bounds of different questions may be about different numbers.
  const names = new Set(Object.values(data.bounds));
  const boundsName = names.size === 1 ? [...names][0] : "bounds";
  const shown = [
    ["name", "name", false], ["family", "family", false], ["verdict", "verdict", false],
    ["lower", boundsName, true], ["rows", "size", true], ["seconds", "seconds", true],
  ];
  // The family undefined means any; null means results without one.
  const state = { name: "", family: undefined, verdict: "", question: "", layer: null, head: null, page: 0 };
  let order = null;
  let found = data.results;

  const bounds = (row) => {
    const [lower, upper] = [row[at.lower], row[at.upper]];
    const outwards = (value, round) =>
      value === null ? "" : Number.isInteger(value) ? `${value}` : (round(Number((1000 * value).toFixed(6))) / 1000).toFixed(3);
    if (lower === null) return "-";
    return lower === upper ? outwards(lower, Math.round) : `${outwards(lower, Math.floor)}..${outwards(upper, Math.ceil)}`;
  };
  const seconds = (value) => value.toFixed(value < 0.1 ? 4 : value < 10 ? 2 : 1);
  const size = (row) => (row[at.rows] === null ? "-" : `${row[at.rows]} × ${row[at.columns]}`);

  const fits = (row) =>
    row[at.name].toLowerCase().includes(state.name) &&
    (state.family === undefined || row[at.family] === state.family) &&
    (!state.verdict || row[at.verdict] === state.verdict) &&
    (!state.question || String(row[at.question]) === state.question) &&
    (state.layer === null || (row[at.layer] === state.layer && row[at.head] === state.head));

  const search = () => {
    found = data.results.filter(fits);
    if (order) {
      const key = at[order.column];
      const value = (row) => row[key] ?? (order.numeric ? -1 : "");
      found.sort((a, b) => order.sign * compare(value(a), value(b)));
    }
    state.page = 0;
    render();
  };

  const render = () => {
    const start = state.page * PAGE;
    const rows = found.slice(start, start + PAGE).map((row) => {
      const line = make("tr");
      const first = make("th", undefined, { scope: "row" });
      first.append(make("a", row[at.name], { href: `#result-${row[at.id]}` }));
      line.append(
        first, make("td", row[at.family] ?? "-"), make("td", row[at.verdict]),
        make("td", bounds(row), { className: "number" }), make("td", size(row), { className: "number" }),
        make("td", seconds(row[at.seconds]), { className: "number" }),
      );
      return line;
    });
    $("list").tBodies[0].replaceChildren(...rows);
    const chosen = [
      ...(state.family ? [`family ${state.family}`] : []),
      ...(state.layer === null ? [] : [`layer ${state.layer}, head ${state.head}`]),
    ].join(", ");
    const within = chosen && ` in ${chosen}`;
    $("shown").textContent = found.length
      ? `${start + 1} to ${start + rows.length} of ${found.length}${within}` : `No listed result${within}.`;
    $("before").disabled = state.page === 0;
    $("after").disabled = start + PAGE >= found.length;
    $("pages").hidden = found.length <= PAGE;
  };

  const choices = (select, column, all) => {
    const values = [...new Set(data.results.map((row) => row[column]))].sort(compare);
    select.append(make("option", all, { value: "" }));
    values.forEach((value, k) => select.append(make("option", value ?? "none", { value: String(k + 1) })));
    return values;
  };
  const families = choices($("by-family"), at.family, "all");
  const verdicts = choices($("by-verdict"), at.verdict, "all");
  $("by-question").append(make("option", "all", { value: "" }));
  for (const [number, text] of Object.entries(data.questions))
    $("by-question").append(make("option", text, { value: number }));
  $("question-label").hidden = Object.keys(data.questions).length < 2;
  $("search").hidden = false;
  $("search").addEventListener("submit", (event) => event.preventDefault());

  const read = () => {
    state.name = $("by-name").value.toLowerCase();
    state.family = $("by-family").value ? families[$("by-family").value - 1] : undefined;
    state.verdict = $("by-verdict").value ? verdicts[$("by-verdict").value - 1] : "";
    state.question = $("by-question").value;
    search();
  };
  $("by-name").addEventListener("input", read);
  for (const id of ["by-family", "by-verdict", "by-question"]) $(id).addEventListener("change", read);
  $("all").addEventListener("click", () => {
    $("search").reset();
    state.layer = state.head = null;
    read();
  });

  const heads = shown.map(([column, name, numeric]) => {
    const head = make("th", undefined, { scope: "col", className: numeric ? "number" : "" });
    head.setAttribute("aria-sort", "none");
    const button = make("button", name, { type: "button", className: "sort" });
    button.addEventListener("click", () => {
      order = { column, numeric, sign: reorder(heads, head, numeric) };
      search();
    });
    head.append(button);
    return head;
  });
  $("list").tHead.rows[0].append(...heads);
  for (const [id, step] of [["before", -1], ["after", 1]])
    $(id).addEventListener("click", () => {
      state.page += step;
      render();
      $("shown").scrollIntoView({ block: "start" });
    });

  // A click on a family's name or on a head's cell lists its results.
  document.addEventListener("click", (event) => {
    const picked = event.target.closest("button.pick");
    if (!picked) return;
    $("search").reset();
    const chosen = picked.dataset;
    const family = families.indexOf(chosen.family ?? null);
    $("by-family").value = family < 0 ? "" : String(family + 1);
    $("by-question").value = picked.closest("section").dataset.question;
    [state.layer, state.head] = "layer" in chosen ? [Number(chosen.layer), Number(chosen.head)] : [null, null];
    read();
    if (family < 0) {  // no listed result has it
      state.family = chosen.family ?? null;
      search();
    }
    $("results").scrollIntoView();
    ($("list").querySelector("tbody a") ?? $("all")).focus({ preventScroll: true });
  });

  // ---------------------------------------------------------------- one result

  let details = null;
  const unpack = async () => {
    if (details === null) {
      const packed = Uint8Array.from(atob($("details").textContent.trim()), (c) => c.charCodeAt(0));
      const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
      details = JSON.parse(await new Response(stream).text());
    }
    return details;
  };

  // ---------------------------------------------------------------- proofs, checked once more

  const recheck = makeRecheck($("checker").textContent, 60);
  const answers = new Map(); // promises, by proof

  const textOf = ({ pattern, source }) => {
    if (!pattern?.entries) return source;
    const { rows, columns: width, entries } = pattern;
    return Array.from({ length: rows }, (_, i) => entries.slice(i * width, (i + 1) * width)).join("\n");
  };

  const answerOf = (detail, proof) => {
    if (!answers.has(proof)) answers.set(proof, recheck(textOf(detail) ?? null, proof.certificate));
    return answers.get(proof);
  };

  // A line that says what this browser found, as soon as it is known.
  const recheckLine = (detail, proof) => {
    const line = make("p", "Checking this proof in this browser ..", { className: "recheck" });
    line.setAttribute("role", "status");
    answerOf(detail, proof).then(({ status, words }) => {
      line.textContent = status === null ? `Not checked again: ${words}.` : `Checked again in this browser: ${words}`;
      line.dataset.status = String(status);
    });
    return line;
  };

  $("recheck").hidden = data.results.length === 0;
  $("recheck-all").addEventListener("click", async () => {
    const shown = Object.values(await unpack());
    const all = shown.flatMap((detail) => detail.proofs.map((proof) => [detail, proof]));
    const output = $("recheck").querySelector("output");
    let [valid, refused, open] = [0, 0, 0];
    const say = () => {
      const done = valid + refused + open;
      output.textContent = `${done} of ${all.length} proofs: ${valid} valid`
        + (refused ? `, ${refused} NOT VALID` : "") + (open ? `, ${open} too large to check here` : "");
    };
    say();
    for (const [detail, proof] of all) {
      const { status } = await answerOf(detail, proof);
      if (status === 0) valid++;
      else if (status === null) open++;
      else refused++;
      say();
    }
  });

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

  const draw = ({ rows, columns: width, entries }, core, text) => {
    const scale = Math.max(1, Math.min(14, Math.floor(480 / Math.max(rows, width))));
    const canvas = make("canvas", undefined, { width: width * scale, height: rows * scale });
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", text);
    const pen = canvas.getContext("2d");
    const colours = { "*": colour("--star"), 1: colour("--one") };
    for (let k = 0; k < entries.length; k++) {
      if (!(entries[k] in colours)) continue;
      pen.fillStyle = colours[entries[k]];
      pen.fillRect((k % width) * scale, Math.floor(k / width) * scale, scale, scale);
    }
    pen.strokeStyle = colour("--core");
    pen.lineWidth = Math.max(1, scale / 6);
    const inset = pen.lineWidth / 2;
    for (const i of core.rows)
      for (const j of core.columns)
        pen.strokeRect(j * scale + inset, i * scale + inset, scale - 2 * inset, scale - 2 * inset);
    return canvas;
  };

  // The browser may break sentences into lines, but not tables, which are indented.
  const explain = (words) => {
    const parts = [];
    for (const line of words.split("\n")) {
      const table = line.startsWith("  ");
      const last = parts.at(-1);
      if (table && last?.tagName === "PRE") last.textContent += `\n${line}`;
      else parts.push(table ? make("pre", line, { tabIndex: 0 }) : make("p", line, { className: "sentence" }));
    }
    return parts;
  };

  let opened = "";
  const open = async () => {
    const address = location.hash;
    const match = /^#result-(\d+)$/.exec(address);
    const row = match && data.results.find((one) => String(one[at.id]) === match[1]);
    if (!row) return;
    const detail = (await unpack())[match[1]] ?? { proofs: [], trail: [] };
    if (location.hash !== address) return;
    opened = address;
    const { pattern, proofs, trail, answer } = detail;
    $("detail-head").textContent = row[at.name];
    const body = [];
    const say = `${row[at.verdict]}; ${data.bounds[row[at.question]]} ${bounds(row)}; ${size(row)}; ${seconds(row[at.seconds])} s`;
    body.push(make("p", `${row[at.family] ? `${row[at.family]}: ` : ""}${say}`));
    if (row[at.error]) body.push(make("pre", row[at.error], { className: "wrap" }));
    if (pattern?.entries && !proofs.some((proof) => proof.picture && proof.rows.length)) {
      const core = proofs.find((proof) => proof.rows.length) ?? { rows: [], columns: [] };
      const marked = core.rows.length ? ", with the rows and columns of the refutation marked" : "";
      body.push(draw(pattern, core, `The pattern, ${size(row)}${marked}`));
    } else if (pattern && !pattern.entries) body.push(make("p", "The pattern is too large to draw here."));
    if (answer) {
      body.push(...explain(answer.words));
      if (answer.entries) body.push(draw(answer.entries, { rows: [], columns: [] }, "The two vectors, as rows"));
      if (answer.picture) body.push(make("img", undefined, { src: answer.picture, alt: "Picture: recall and pairs compared, layer by layer" }));
    }
    for (const proof of proofs) {
      body.push(make("h3", proof.title), recheckLine(detail, proof));
      if (proof.picture) body.push(make("img", undefined, { src: proof.picture, alt: `Picture: ${proof.title}` }));
      body.push(...explain(proof.words));
    }
    if (trail.length) {
      const folded = make("details");
      folded.append(make("summary", "Strategies tried"), make("pre", trail.join("\n"), { className: "wrap" }));
      body.push(folded);
    }
    $("detail-body").replaceChildren(...body);
    if (!$("detail").open) $("detail").showModal();
    $("detail").scrollTop = 0;
    document.querySelectorAll("#detail pre:not(.wrap)").forEach(watch);
  };
  addEventListener("hashchange", open);
  $("detail").addEventListener("close", () => {
    // Browsers tell of it later: by then the reader may have chosen another result.
    if ($("detail").open || location.hash !== opened) return;
    const link = document.querySelector(`a[href="${location.hash}"]`);
    history.replaceState(null, "", location.pathname + location.search);
    link?.focus();
  });

  read();
  open();
})();
