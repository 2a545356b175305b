// The page: its state is the serve line, the card and the release; everything else follows from the answer.
"use strict";
(() => {
  const FIELDS = ["line", "gpu", "engine", "gpu2", "engine2"];
  const START = { line: "vllm serve Qwen/Qwen3-8B --max-model-len 65536", gpu: "l4" };
  const at = (id) => document.getElementById(id);
  const steps = (from, to, factor) => {
    const found = [];
    for (let value = from; value <= to; value *= factor) found.push(Math.round(value));
    return found;
  };
  const LENGTHS = steps(1, 1024, Math.SQRT2).map((value) => Math.round(value) * 1024).filter((value, i, all) => all.indexOf(value) === i);
  // Sliders: the stops, and how a stop is shown.
  const SLIDERS = [
    { setting: "gpu_memory_utilization", name: "share of the GPU", stops: Array.from({ length: 70 }, (_, i) => (30 + i) / 100), show: (value) => value.toFixed(2) },
    { setting: "max_model_len", name: "length, tokens", stops: LENGTHS, show: (value) => value.toLocaleString("en") },
    { setting: "max_num_seqs", name: "sequences at once", stops: steps(1, 1024, 2), show: String },
    { setting: "tensor_parallel_size", name: "GPUs to split over", stops: steps(1, 16, 2), show: String },
  ];
  let core, catalogue;

  function nearest(stops, value) {
    let best = 0;
    stops.forEach((stop, i) => {
      if (Math.abs(Math.log(stop / value)) < Math.abs(Math.log(stops[best] / value))) best = i;
    });
    return best;
  }

  function makeSliders() {
    for (const slider of SLIDERS) {
      const id = "s-" + slider.setting;
      const input = draw.make("input", { type: "range", id, min: 0, max: slider.stops.length - 1, step: 1 });
      const output = draw.make("output", { for: id, id: id + "-value" });
      input.addEventListener("input", () => {
        const value = slider.stops[Number(input.value)];
        at("line").value = serveLine.setFlag(at("line").value, serveLine.flagNames(at("line").value, slider.setting), value);
        update();
      });
      at("sliders").append(draw.make("div", { class: "slider" }, draw.make("label", { for: id }, slider.name), output, input));
    }
  }

  function placeSliders(settings) {
    for (const slider of SLIDERS) {
      const input = at("s-" + slider.setting), value = settings[slider.setting];
      const known = typeof value === "number" && value > 0;
      input.disabled = !serveLine.has(at("line").value, slider.setting);
      if (known && document.activeElement !== input) input.value = nearest(slider.stops, value);
      at(input.id + "-value").value = known ? slider.show(value) : "default";
      input.setAttribute("aria-valuetext", known ? slider.show(value) : "default");
    }
  }

  const request = (gpu, engine) => {
    const asked = { line: at("line").value };
    if (gpu) asked.gpu = gpu;
    if (engine) asked.engine = engine;
    return asked;
  };

  function unknownModel(problems) {
    const name = serveLine.model(at("line").value);
    return name.includes("/") && problems.some((problem) => problem.severity === "error" && problem.text.includes(name)) ? name : "";
  }

  async function fetchModel(name) {
    at("status").textContent = `fetching ${name}`;
    try {
      core.addModel(name, await hub.files(name));
      update();
    } catch (error) {
      draw.trouble(at("answer"), [{ severity: "error", text: `${name}: ${error.message}` }], name, () => fetchModel(name));
    }
  }

  const apply = {
    change(each) {
      const line = at("line").value;
      at("line").value = serveLine.setFlag(line, serveLine.flagNames(line, each.setting), each.to);
      update();
    },
    model(name) {
      at("line").value = serveLine.setModel(at("line").value, name);
      update();
    },
    line(text) {
      at("line").value = text;
      update();
    },
  };

  function answer(section, asked) {
    const document = core.askDocument(asked);
    if (document.verdict === undefined || !document.budget) {
      const problems = document.problems || [];
      const name = unknownModel(problems);
      draw.trouble(section, problems, name, () => fetchModel(name));
      return null;
    }
    draw.plan(section, document, apply);
    return document;
  }

  // Browsers take some hundred changes of the address in half a minute: it follows a dragged slider at a distance.
  let remembered = 0;
  let due = 0;
  function remember() {
    clearTimeout(due);
    globalThis.kvbudgetPage.remembered = false;
    due = setTimeout(() => {
      globalThis.kvbudgetPage.remembered = true;
      remembered = performance.now();
      const state = new URLSearchParams();
      for (const field of FIELDS) if (at(field).value) state.set(field, at(field).value);
      history.replaceState(null, "", "#" + state);
    }, Math.max(0, remembered + 350 - performance.now()));
  }

  let said;
  function say(text) {
    clearTimeout(said); // a reader is not told every keystroke
    said = setTimeout(() => (at("status").textContent = text), 400);
  }

  function update() {
    const started = performance.now();
    const shown = answer(at("answer"), request(at("gpu").value, at("engine").value));
    if (document.activeElement !== at("model")) at("model").value = serveLine.model(at("line").value);
    if (shown) placeSliders(shown.settings);
    const beside = at("gpu2").value || at("engine2").value;
    at("answer2").hidden = !beside;
    at("answers").classList.toggle("two", Boolean(beside));
    if (beside) answer(at("answer2"), request(at("gpu2").value || at("gpu").value, at("engine2").value || at("engine").value));
    remember();
    at("brief").textContent = shown ? `${draw.short(shown)} \u2191` : "Not understood \u2191";
    say(shown ? draw.headline(shown) : at("answer").textContent);
    globalThis.kvbudgetPage.milliseconds = performance.now() - started;
  }

  function recall() {
    const state = new URLSearchParams(location.hash.slice(1));
    for (const field of FIELDS) at(field).value = state.has("line") || state.has("gpu") ? state.get(field) || "" : START[field] || "";
    at("beside").open = Boolean(at("gpu2").value || at("engine2").value);
    update();
  }

  function offer(list, entries) {
    at(list).replaceChildren(...entries.map(([value, label]) => draw.make("option", { value, label })));
  }

  function fill() {
    catalogue = core.ask({ command: "profiles", paths: ["list"] });
    offer("models", catalogue.models.map((each) => [each.id, each.about]));
    offer("gpus", catalogue.gpus.map((each) => [each.id, `${each.name}, ${(each.memory_bytes / 2 ** 30).toFixed(0)} GiB`]));
    offer("engines", catalogue.engines.map((each) => [each.id, `newest known: ${each.about}`]));
    at("model").placeholder = `search ${catalogue.models.length} models`;
    at("version").textContent = `kvbudget ${core.version()}.`;
  }

  async function explain(file) {
    const flags = at("gpu").value ? { gpu: at("gpu").value } : {};
    const section = at("explanation");
    const close = () => ((section.hidden = true), at("log").focus());
    const answer = core.askDocument({ ...flags, command: "explain", log: await file.text() });
    if (answer.verdict === undefined) {
      section.replaceChildren(draw.notes(answer.problems), draw.make("button", { type: "button", onclick: close }, "Close"));
      section.hidden = false;
    } else {
      draw.explanation(section, file.name, answer, close);
    }
    section.focus();
  }

  function takeLogs() {
    at("log").addEventListener("change", () => at("log").files[0] && explain(at("log").files[0]));
    document.addEventListener("dragover", (event) => {
      event.preventDefault();
      at("drop").classList.add("over");
    });
    document.addEventListener("dragleave", () => at("drop").classList.remove("over"));
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      at("drop").classList.remove("over");
      if (event.dataTransfer.files[0]) explain(event.dataTransfer.files[0]);
    });
  }

  function listen() {
    at("ask").addEventListener("submit", (event) => event.preventDefault());
    for (const field of FIELDS) at(field).addEventListener("input", update);
    at("model").addEventListener("input", () => {
      const name = at("model").value.trim();
      if (!catalogue.models.some((each) => each.id === name)) return; // not while it is typed
      at("line").value = serveLine.setModel(at("line").value, name);
      update();
    });
    at("model").addEventListener("change", () => {
      if (at("model").value.trim() !== "") apply.model(at("model").value.trim());
    });
    at("copy").addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(location.href);
        at("copy").textContent = "Copied";
      } catch {
        at("copy").textContent = "Copy it from the address bar";
      }
    });
    for (const link of document.querySelectorAll('a[href="#answer"]')) {
      link.addEventListener("click", (event) => {
        event.preventDefault(); // the address holds the state
        at("answer").scrollIntoView();
        at("answer").focus({ preventScroll: true });
      });
    }
    addEventListener("hashchange", recall);
    takeLogs();
  }

  // The core stands in core.js, gzipped, in letters: a page opened as a file may fetch nothing.
  async function bytes() {
    const packed = Uint8Array.from(atob(globalThis.kvbudgetCore), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  }

  async function main() {
    globalThis.kvbudgetPage = { milliseconds: 0 };
    makeSliders();
    core = await kvbudget.load(await bytes());
    globalThis.kvbudgetPage.core = core;
    fill();
    listen();
    recall();
    globalThis.kvbudgetPage.ready = true;
  }

  main().catch((error) => {
    at("answer").replaceChildren(draw.make("p", { role: "alert" }, `The core could not be loaded: ${error.message}. A browser of 2023 or later is needed.`));
  });
})();
