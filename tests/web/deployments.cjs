// Random deployments, the same for the same seed, and what the native tool says of them.
"use strict";
const { spawnSync } = require("node:child_process");

function numbers(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * below);
  };
}

const LENGTHS = [512, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 1000000];
const RELEASES = ["vllm", "vllm@0.6.6", "vllm@0.8.5", "vllm@0.10.2", "vllm@0.11.0", "vllm@0.15.1", "vllm@0.20.0", "sglang"];
const MORE = ["--enforce-eager", "--kv-cache-dtype fp8", "--no-enable-prefix-caching", "--quantization fp8", "--swap-space 4"];

// As requests: a serve line, a card and a release.
function deployments(seed, count, models, gpus) {
  const draw = numbers(seed);
  return Array.from({ length: count }, () => {
    const engine = RELEASES[draw(RELEASES.length)];
    const model = models[draw(models.length)];
    const request = { gpu: gpus[draw(gpus.length)], engine };
    if (engine === "sglang") {
      request.line = `python -m sglang.launch_server --model-path ${model} --mem-fraction-static 0.${70 + draw(25)}`;
      return request;
    }
    request.line = `vllm serve ${model} --max-model-len ${LENGTHS[draw(LENGTHS.length)]} --max-num-seqs ${1 << draw(10)}`;
    if (draw(2)) request.line += ` --gpu-memory-utilization 0.${50 + draw(49)}`;
    if (draw(3) === 0) request.line += ` --tensor-parallel-size ${1 << draw(4)}`;
    if (draw(3) === 0) request.line += " " + MORE[draw(MORE.length)];
    return request;
  });
}

// The document of the tool on this machine, errors included; places differ, as a request is no command line.
function native(tool, request) {
  const words = ["plan", "--json", "--gpu", request.gpu, "--engine", request.engine, "--", ...request.line.split(" ")];
  const environment = { ...process.env, KVBUDGET_OFFLINE: "1", KVBUDGET_CACHE: "/nonexistent", HOME: "/nonexistent" };
  const ran = spawnSync(tool, words, { encoding: "utf8", env: environment, maxBuffer: 1 << 26 });
  if (ran.error) throw ran.error;
  return comparable(JSON.parse(ran.stdout));
}

function comparable(document) {
  const copy = { ...document };
  delete copy.exit_code;
  copy.problems = (document.problems || []).map(({ severity, code, text }) => ({ severity, code, text }));
  return JSON.stringify(copy);
}

module.exports = { deployments, native, comparable };
