// A serve line as text: finding and setting one flag without touching the rest.
"use strict";
const serveLine = (() => {
  // Names of one setting by engine; the first is what is written.
  const FLAGS = {
    vllm: {
      gpu_memory_utilization: ["--gpu-memory-utilization"],
      max_model_len: ["--max-model-len"],
      max_num_seqs: ["--max-num-seqs"],
      tensor_parallel_size: ["--tensor-parallel-size", "-tp"],
    },
    sglang: {
      gpu_memory_utilization: ["--mem-fraction-static"],
      max_model_len: ["--context-length"],
      max_num_seqs: ["--max-running-requests"],
      tensor_parallel_size: ["--tp-size", "--tensor-parallel-size", "--tp"],
    },
    "llama.cpp": {
      max_model_len: ["-c", "--ctx-size"],
      max_num_seqs: ["-np", "--parallel"],
    },
  };

  function engineOf(line) {
    if (/sglang/.test(line)) return "sglang";
    if (/\bllama-(server|cli)\b/.test(line)) return "llama.cpp";
    return "vllm";
  }

  // Words with where they stand; quotes and escapes as a shell reads them.
  function words(line) {
    const found = [];
    const pattern = /(?:[^\s"'\\]|\\[^]|"(?:[^"\\]|\\[^])*"|'[^']*')+/g;
    for (let match; (match = pattern.exec(line)) !== null; ) {
      const text = match[0].replace(/'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])/g, (whole, single, double, escaped) =>
        single !== undefined ? single : double !== undefined ? double.replace(/\\([^])/g, "$1") : escaped === "\n" ? "" : escaped);
      if (match[0] !== "\\\n") found.push({ text, from: match.index, to: match.index + match[0].length });
    }
    return found;
  }

  function quoted(text) {
    return /^[A-Za-z0-9_@%+=:,.\/-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";
  }

  const plain = (word) => word.split("=")[0].replace(/_/g, "-");

  // The flag's words: {from, to, value}, or null; `takes` is false for a switch.
  function find(line, names, takes) {
    const all = words(line);
    for (let i = 0; i < all.length; i++) {
      if (!names.includes(plain(all[i].text))) continue;
      const equals = all[i].text.indexOf("=");
      if (equals > 0) return { from: all[i].from, to: all[i].to, value: all[i].text.slice(equals + 1) };
      const next = takes ? all[i + 1] : undefined;
      return { from: all[i].from, to: next ? next.to : all[i].to, value: next ? next.text : "" };
    }
    return null;
  }

  function replace(line, from, to, text) {
    const before = text === "" ? line.slice(0, from).replace(/[ \t]+$/, "") : line.slice(0, from);
    return before + text + line.slice(to);
  }

  // The value null takes the flag out; true and false make a switch.
  function setFlag(line, names, value) {
    const takes = typeof value !== "boolean";
    const known = [...names, ...names.map((name) => name.replace(/^--/, "--no-"))];
    const found = find(line, known, value === null || takes);
    const name = value === false ? names[0].replace(/^--/, "--no-") : names[0];
    const text = value === null ? "" : takes ? name + " " + quoted(String(value)) : name;
    if (found) return replace(line, found.from, found.to, text);
    return text === "" ? line : line.replace(/\s+$/, "") + " " + text;
  }

  const namesOf = (line, setting) => FLAGS[engineOf(line)][setting];

  function flagNames(line, setting) {
    return namesOf(line, setting) || ["--" + setting.replace(/_/g, "-")];
  }

  // The model's word: behind "serve", or the value of its flag.
  function modelWord(line) {
    const all = words(line);
    for (let i = 0; i < all.length; i++) {
      const flag = /^(--model|--model-path|-hf|--hf-repo|-m)$/.test(plain(all[i].text));
      if (flag && all[i].text.includes("=")) return { ...all[i], prefix: all[i].text.split("=")[0] + "=" };
      if (flag && all[i + 1]) return { ...all[i + 1], prefix: "" };
      if (all[i].text === "serve" && all[i + 1] && !all[i + 1].text.startsWith("-")) return { ...all[i + 1], prefix: "" };
    }
    return null;
  }

  function model(line) {
    const word = modelWord(line);
    return word ? word.text.slice(word.prefix.length) : "";
  }

  function setModel(line, name) {
    const word = modelWord(line);
    if (word) return replace(line, word.from, word.to, word.prefix + quoted(name));
    const all = words(line);
    const serve = all.find((each) => each.text === "serve");
    if (serve) return replace(line, serve.to, serve.to, " " + quoted(name));
    return line.trim() === "" ? "vllm serve " + quoted(name) : line.replace(/\s+$/, "") + " --model " + quoted(name);
  }

  return { setFlag, flagNames, model, setModel, engineOf, words, has: (line, setting) => namesOf(line, setting) !== undefined };
})();
if (typeof module === "object") module.exports = serveLine;
