// The npm package: its README's example, its errors, and the same documents as the native tool for random deployments.
//   node npm.cjs PACKAGE_FOLDER TOOL [COUNT]
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { deployments, native, comparable } = require("./deployments.cjs");

const [folder, tool, count] = [path.resolve(process.argv[2]), process.argv[3], Number(process.argv[4] || 500)];
const { load, KvbudgetError } = require(folder);

// The example of the README as it stands there, with the package in place of its name.
async function example() {
  const said = [];
  const code = fs.readFileSync(path.join(folder, "README.md"), "utf8").match(/```js\n([^]*?)```/)[1];
  const run = new Function("require", "console", `return (async () => {${code}})()`);
  await run((name) => (assert.equal(name, "kvbudget"), require(folder)), { log: (...words) => said.push(words) });
  assert.equal(said.length, 1);
  assert.equal(said[0][0], "fits");
  assert.ok(said[0][1] > 4096);
}

function refusals(kvbudget) {
  assert.throws(() => kvbudget.plan({ model: "no/model", gpu: "l4" }), (error) => {
    assert.ok(error instanceof KvbudgetError);
    assert.ok(error.problems.some((problem) => problem.code === "unknown_name"));
    return /no\/model/.test(error.message);
  });
  assert.throws(() => kvbudget.ask({ command: "manual" }), /expected a command with a JSON document/);
  assert.equal(kvbudget.askDocument({ modl: 1 }).exit_code, 2);
  assert.throws(() => kvbudget.plan({ deployment: { name: "d", model: "Qwen/Qwen3-8B", gpo: "l4" } }), /gpo/);
}

// Files stand in memory: a fetched model's name is known afterwards, a folder is searched.
function files(kvbudget) {
  const config = {
    architectures: ["LlamaForCausalLM"], model_type: "llama", hidden_size: 1024, intermediate_size: 4096,
    num_hidden_layers: 4, num_attention_heads: 8, num_key_value_heads: 2, vocab_size: 32000, head_dim: 128,
    max_position_embeddings: 4096, torch_dtype: "bfloat16",
  };
  kvbudget.addModel("some-lab/Tiny", { "config.json": JSON.stringify(config) });
  const answer = kvbudget.plan({ model: "some-lab/Tiny", gpu: "l4" });
  assert.equal(answer.kv_cache.bytes_per_token, 4 * 2 * 2 * 128 * 2); // layers x K and V x heads x width x 2 bytes
  const script = "#!/bin/sh\nvllm serve Qwen/Qwen3-32B --max-model-len 32768\n";
  const checked = kvbudget.check({ "deploy/serve.sh": script }, { gpu: "l4" });
  assert.equal(checked.verdict, "fail");
  assert.equal(checked.cases[0].file, "deploy/serve.sh");
  assert.equal(kvbudget.ask({ command: "check", paths: ["deploy"], gpu: "l4" }).cases.length, 1);
  kvbudget.check({ "deploy/more/one.sh": script, "serve.sh": script }, { gpu: "l4" });
  const below = kvbudget.ask({ command: "check", paths: ["deploy"], gpu: "l4" }).cases.map((each) => each.file);
  assert.deepEqual(below.sort(), ["deploy/more/one.sh", "deploy/serve.sh"]); // of a folder in it, too, and of no other
}

function others(kvbudget) {
  const swept = kvbudget.sweep({ model: "Qwen/Qwen3-8B", gpu: ["l4", "l40s"], max_model_len: [8192, 32768] });
  assert.equal(swept.rows.length, 4);
  const log = "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`";
  assert.equal(kvbudget.explain(log, { gpu: "l4" }).verdict, "failed");
  assert.ok(kvbudget.models("l4").starting > 100);
}

function same(kvbudget) {
  const listed = kvbudget.ask({ command: "profiles", paths: ["list"] });
  const models = listed.models.map((each) => each.id);
  const gpus = listed.gpus.map((each) => each.id);
  for (const request of deployments(21, count, models, gpus)) {
    const words = { ...request, line: request.line.split(" ") };
    assert.equal(comparable(kvbudget.askDocument(words)), native(tool, request), JSON.stringify(request));
  }
}

async function main() {
  await example();
  const kvbudget = await load();
  assert.match(kvbudget.version(), /^\d+\.\d+\.\d+$/);
  refusals(kvbudget);
  files(kvbudget);
  others(kvbudget);
  same(kvbudget);
  console.log(`npm package: ${count} random deployments as the native tool has them`);
}

main();
