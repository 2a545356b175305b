// The answer as elements: verdict, drawn bar with bounds, the error, the advice. Texts go in as text, never as markup.
"use strict";
const draw = (() => {
  const PARTS = [
    ["weights_bytes", "weights"], ["activation_bytes", "activation peak"], ["non_torch_bytes", "non-torch"],
    ["cuda_graph_bytes", "CUDA graphs"], ["reserved_bytes", "reserved"], ["other_bytes", "other"],
    ["kv_cache_bytes", "KV cache"], ["outside_bytes", "outside"],
  ];
  const VERDICTS = { fits: "Fits", tight: "Tight", does_not_fit: "Does not fit" };

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name === "onclick") element.addEventListener("click", value);
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  const gib = (bytes) => (bytes / 2 ** 30).toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 }) + " GiB";
  const count = (number) => number.toLocaleString("en");
  const percent = (part, whole) => Math.max(0, (100 * part) / whole).toFixed(3) + "%";

  // Shares of the card, left to right; what is more than the card makes the scale longer.
  function segments(answer) {
    const budget = answer.budget;
    const shown = PARTS.map(([key, name]) => ({ key, name, bytes: budget[key] || 0 })).filter((part) => part.bytes > 0);
    const used = shown.reduce((sum, part) => sum + part.bytes, 0);
    const card = answer.gpu.memory_bytes || used;
    return { shown, used, card, scale: Math.max(used, card) };
  }

  function bar(answer) {
    const { shown, used, card, scale } = segments(answer);
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const add = (tag, attributes) => {
      const element = document.createElementNS(svg.namespaceURI, tag);
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      svg.append(element);
    };
    svg.setAttribute("class", "bar");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", shown.map((part) => `${part.name} ${gib(part.bytes)}`).join(", ") + ` of ${gib(card)}`);
    let at = 0;
    for (const part of shown) {
      add("rect", { class: part.key, x: percent(at, scale), y: "6", width: percent(part.bytes, scale), height: "34" });
      if (part.key === "kv_cache_bytes") bounds(add, answer.budget, at, scale);
      at += part.bytes;
    }
    if (card > used) add("rect", { class: "free", x: percent(used, scale), y: "6", width: percent(card - used, scale), height: "34" });
    if (used > card) add("line", { class: "edge", x1: percent(card, scale), x2: percent(card, scale), y1: "0", y2: "46" });
    return svg;
  }

  // From the least to the most that may be left for the cache.
  function bounds(add, budget, at, scale) {
    const low = Math.max(0, budget.kv_cache_low_bytes), high = Math.max(low, budget.kv_cache_high_bytes);
    const from = percent(at + low, scale), to = percent(Math.min(scale, at + high), scale);
    add("line", { class: "bound", x1: from, x2: to, y1: "23", y2: "23" });
    add("line", { class: "bound", x1: from, x2: from, y1: "16", y2: "30" });
    add("line", { class: "bound", x1: to, x2: to, y1: "16", y2: "30" });
  }

  function table(answer) {
    const rows = [];
    for (const [key, name] of PARTS) {
      const bytes = answer.budget[key];
      if (!bytes) continue;
      const range = key === "kv_cache_bytes"
        ? ` (${gib(answer.budget.kv_cache_low_bytes)} to ${gib(answer.budget.kv_cache_high_bytes)})` : "";
      rows.push(make("tr", { "data-part": key, "data-bytes": bytes },
        make("th", { scope: "row" }, make("span", { class: "key " + key, "aria-hidden": "true" }), name),
        make("td", {}, gib(bytes) + range)));
    }
    rows.push(make("tr", {}, make("th", { scope: "row" }, "slack"), make("td", {}, gib(answer.budget.slack_bytes))));
    return make("table", {}, make("caption", {}, `Memory of each GPU, ${gib(answer.gpu.memory_bytes)}`), make("tbody", {}, ...rows));
  }

  function facts(answer) {
    const kv = answer.kv_cache, rows = [];
    const add = (name, value) => rows.push(make("dt", {}, name), make("dd", {}, value));
    if (kv.tokens > 0) add("tokens in the cache", count(kv.tokens));
    if (kv.max_concurrency > 0) add(`requests of ${count(answer.settings.max_model_len || 0)} tokens at once`, String(kv.max_concurrency));
    if (kv.max_model_len_that_fits) add("longest request", count(kv.max_model_len_that_fits) + " tokens");
    if (kv.bytes_per_token) add("bytes per token", count(kv.bytes_per_token));
    return make("dl", { class: "facts" }, ...rows);
  }

  function value(from) {
    return from === null || from === undefined ? "default" : typeof from === "number" ? count(from) : String(from);
  }

  function change(each, apply) {
    const gain = !each.frees_bytes ? "" : each.frees_bytes > 0 ? `, frees ${gib(each.frees_bytes)}` : `, takes ${gib(-each.frees_bytes)}`;
    const alone = each.fits ? "suffices" : each.starts ? "starts, but leaves no room" : "not enough alone";
    const verdict = each.together ? `with those above it ${each.fits ? "suffices" : "is not enough yet"}` : alone;
    return make("li", { class: each.fits ? "works" : "" },
      make("button", { type: "button", "data-setting": each.setting, onclick: () => apply.change(each) },
        `${each.setting.replace(/_/g, " ")}: ${value(each.from)} → ${value(each.to)}`),
      make("span", {}, ` ${verdict}${gain}: ${each.why}`));
  }

  function advice(answer, apply) {
    const given = answer.recommendation || {}, parts = [];
    const list = (title, changes) => changes.length > 0 && parts.push(make("h3", {}, title),
      make("ul", { class: "advice" }, ...changes.map((each) => change(each, apply))));
    list("What to try, least harm first", (given.changes || []).filter((each) => each.helps));
    if ((given.siblings || []).length > 0) {
      parts.push(make("h3", {}, "Checkpoints that start"), make("ul", { class: "advice" }, ...given.siblings.map((each) =>
        make("li", {}, make("button", { type: "button", onclick: () => apply.model(each.model) }, each.model),
          make("span", {}, ` weights ${gib(each.weights_bytes)}`)))));
    }
    list("What would not help", (given.changes || []).filter((each) => !each.helps));
    if (given.command && !answer.startup.starts) {
      parts.push(make("h3", {}, "With these changes"), make("pre", {}, given.command),
        make("button", { type: "button", class: "apply", id: "apply", onclick: () => apply.line(given.command) }, "Apply all"));
    }
    return parts;
  }

  function notes(problems) {
    const shown = (problems || []).filter((problem) => problem.text);
    return shown.length === 0 ? null : make("ul", { class: "notes" }, ...shown.map((problem) => {
      const place = problem.file && problem.line ? `line ${problem.line}: ` : "";
      return make("li", { class: problem.severity }, place + problem.text);
    }));
  }

  function headline(answer) {
    const engine = `${answer.engine.name} ${answer.engine.version || ""}`;
    return `${VERDICTS[answer.verdict]}: ${answer.model.name} on ${answer.gpu.count > 1 ? answer.gpu.count + " × " : ""}${answer.gpu.name}, ${engine}`;
  }

  // The verdict in a few words, for a narrow screen's lower edge.
  function short(answer) {
    return `${VERDICTS[answer.verdict]}: KV cache ${answer.budget ? gib(answer.budget.kv_cache_bytes) : "unknown"}, ${count(answer.kv_cache?.tokens || 0)} tokens`;
  }

  function plan(section, answer, apply) {
    const error = answer.startup && answer.startup.error;
    section.replaceChildren(...[
      make("h2", { class: "verdict " + answer.verdict }, make("strong", {}, VERDICTS[answer.verdict]),
        ` ${answer.model.name} on ${answer.gpu.count > 1 ? answer.gpu.count + " × " : ""}${answer.gpu.name}`),
      make("p", { class: "engine" }, `${answer.engine.name} ${answer.engine.version || ""}`),
      answer.budget ? bar(answer) : null,
      error ? make("h3", {}, "The error this release gives") : null,
      error ? make("pre", { class: "error" }, error) : null,
      ...advice(answer, apply),
      answer.kv_cache ? facts(answer) : null,
      answer.budget ? table(answer) : null,
      notes(answer.problems),
    ].filter(Boolean));
    section.classList.remove("stale");
  }

  // What cannot be answered: the sentences, above the last answer, which stays to be seen.
  function trouble(section, problems, fetchName, fetch) {
    const button = fetchName ? make("p", {}, make("button", { type: "button", id: "fetch", onclick: fetch },
      `Fetch the config of ${fetchName} from huggingface.co`)) : null;
    section.replaceChildren(...[make("h2", { class: "verdict trouble" }, "Not understood"), notes(problems), button].filter(Boolean));
  }

  function explanation(section, name, answer, close) {
    const failure = answer.failure;
    section.replaceChildren(...[
      make("h2", { id: "explanation-title" }, `${name}: ${failure ? failure.title || failure.kind.replace(/_/g, " ") : answer.verdict}`),
      make("p", {}, [answer.engine.name, answer.engine.version, answer.model.name, answer.gpu.name].filter(Boolean).join(" · ")),
      failure ? make("p", {}, `Line ${failure.line}, stage: ${failure.stage || answer.stage || "not known"}`) : null,
      failure ? make("pre", { class: "error" }, failure.text) : null,
      failure && failure.advice ? make("p", {}, failure.advice) : null,
      (answer.remedies || []).length > 0 ? make("ul", { class: "advice" }, ...answer.remedies.map((each) =>
        make("li", { class: each.works ? "works" : "useless" },
          `${each.setting}: ${value(each.from)} → ${value(each.to)} ${each.works ? "works" : "would not help"}: ${each.why}`))) : null,
      answer.command ? make("pre", {}, answer.command) : null,
      notes(answer.problems),
      make("button", { type: "button", onclick: close }, "Close"),
    ].filter(Boolean));
    section.hidden = false;
  }

  return { plan, trouble, explanation, notes, headline, short, make };
})();
