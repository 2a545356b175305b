// The page in a headless Chromium, opened as a file: what a person does with it, and its figures beside the native tool's.
//   node page.cjs PAGE_FOLDER TOOL CHROMIUM [COUNT [SCREENSHOTS_FOLDER]]
"use strict";
const assert = require("node:assert");
const path = require("node:path");
const { Browser } = require("./browser.cjs");
const { deployments, native, comparable } = require("./deployments.cjs");

const [folder, tool, binary] = [path.resolve(process.argv[2]), process.argv[3], process.argv[4]];
const count = Number(process.argv[5] || 500);
const pictures = process.argv[6];
const ADDRESS = "file://" + folder + "/index.html";

const value = (id, text) => `(() => { const e = document.getElementById(${JSON.stringify(id)}); e.focus(); e.value = ${JSON.stringify(String(text))};
  e.dispatchEvent(new Event("input", { bubbles: true })); e.dispatchEvent(new Event("change", { bubbles: true })); })()`;
const text = (selector) => `document.querySelector(${JSON.stringify(selector)})?.textContent || ""`;
const line = 'document.getElementById("line").value';

// Controls without a name.
const NAMELESS = `[...document.querySelectorAll("input,textarea,button,summary,select")].filter((e) =>
  !(e.labels?.length || e.textContent.trim() || e.getAttribute("aria-label"))).map((e) => e.id || e.outerHTML)`;

async function pickers(page) {
  assert.ok((await page.run('document.querySelectorAll("#models option").length')) > 500);
  assert.ok((await page.run('document.querySelectorAll("#gpus option").length')) > 100);
  await page.run(value("model", "Qwen/Qwen3-32B"));
  assert.match(await page.run(line), /^vllm serve Qwen\/Qwen3-32B /);
  await page.run(value("gpu", "h100-sxm"));
  assert.match(await page.run(text("#answer h2")), /Qwen\/Qwen3-32B on NVIDIA H100/);
}

// Typed with keys: the answer stands as soon as the line does.
async function typing(page) {
  await page.run(value("line", ""));
  await page.run('document.getElementById("line").focus()');
  await page.type("vllm serve Qwen/Qwen3-8B --max-model-len 400");
  const before = await page.run(text("#answer pre.error"));
  await page.type("00");
  const after = await page.run(text("#answer"));
  assert.equal(before, "");
  assert.match(after, /Fits|Tight|Does not fit/);
  assert.equal(await page.run('document.querySelector("#s-max_model_len-value").value'), "40,000");
}

async function sliders(page) {
  await page.run(value("line", "vllm serve Qwen/Qwen3-8B -tp 1 --max_model_len=8192"));
  await page.run('document.getElementById("s-max_model_len").focus()');
  const before = await page.run('document.querySelector("[data-part=kv_cache_bytes]").dataset.bytes');
  await page.key("ArrowRight", 39);
  assert.match(await page.run(line), /--max-model-len 11264$|--max-model-len 12288$/);
  await page.run(value("s-tensor_parallel_size", 1)); // the second stop
  assert.match(await page.run(line), /--tensor-parallel-size 2 /);
  assert.ok(!/-tp 1/.test(await page.run(line)));
  assert.notEqual(await page.run('document.querySelector("[data-part=kv_cache_bytes]").dataset.bytes'), before);
}

async function advice(page) {
  await page.run(value("gpu", "l4"));
  await page.run(value("line", "vllm serve Qwen/Qwen3-8B --max-model-len 40960 --max-num-seqs 64"));
  assert.match(await page.run(text("#answer h2")), /^Does not fit/);
  assert.match(await page.run(text("#answer pre.error")), /40960/);
  const under = (title) => page.run(`[...document.querySelectorAll("#answer h3")].find((e) => e.textContent === ${JSON.stringify(title)}).nextSibling.textContent`);
  assert.match(await under("What would not help"), /gpu memory utilization: 0\.92 → 0\.82 not enough alone, takes 2\.\d\d GiB/);
  assert.doesNotMatch(await under("What to try, least harm first"), /0\.82/);
  await page.run('document.querySelector("#answer .advice .works button").click()');
  assert.match(await page.run(text("#answer h2")), /^(Fits|Tight)/);
  await page.run(value("line", "vllm serve Qwen/Qwen3-8B --max-model-len 40960 --max-num-seqs 64"));
  await page.run('document.getElementById("apply").click()');
  assert.match(await page.run(text("#answer h2")), /^(Fits|Tight)/);
}

// A checkpoint that starts, taken with one press.
async function sibling(page) {
  await page.run(value("line", "vllm serve Qwen/Qwen3-8B --max-model-len 40960"));
  const name = await page.run('[...document.querySelectorAll("#answer .advice button")].find((e) => e.textContent.includes("/")).textContent');
  await page.run('[...document.querySelectorAll("#answer .advice button")].find((e) => e.textContent.includes("/")).click()');
  assert.equal(await page.run(line), `vllm serve ${name} --max-model-len 40960`);
  assert.match(await page.run(text("#answer h2")), /^(Fits|Tight)/);
}

async function beside(page) {
  await page.run('document.getElementById("beside").open = true');
  await page.run(value("gpu2", "l40s"));
  assert.match(await page.run(text("#answer2 h2")), /L40S/);
  assert.match(await page.run(text("#answer h2")), /L4$/);
  await page.run(value("gpu2", ""));
  assert.ok(await page.run('document.getElementById("answer2").hidden'));
}

async function log(page) {
  const said = "INFO vLLM API server version 0.11.0\\nValueError: To serve at least one request with the models's max seq len (131072), (18.00 GiB KV cache is needed, which is larger than the available KV cache memory (4.25 GiB). Based on the available memory, the estimated maximum model length is 30944. Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.";
  await page.run(`(() => { const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(said)}.replaceAll("\\\\n", "\\n")], "run.log"));
    document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data })); })()`);
  await page.until('!document.getElementById("explanation").hidden');
  assert.match(await page.run(text("#explanation")), /run\.log: .*30944/s);
  assert.match(await page.run(text("#explanation .works")), /max-model-len: 131,072 → 30,944 works/);
  await page.run('document.querySelector("#explanation > button").click()');
}

// A second page that opens the first one's address shows the same.
async function shared(page, browser) {
  await page.until("kvbudgetPage.remembered");
  const address = await page.run("location.href");
  assert.match(address, /#line=vllm\+serve/);
  const other = await browser.page();
  await other.open(address);
  await other.until("globalThis.kvbudgetPage?.ready");
  assert.equal(await other.run(text("#answer")), await page.run(text("#answer")));
  assert.equal(await other.run(line), await page.run(line));
  assert.deepEqual(other.said, []);
}

// Only the button asks the hub, and only for the model's name; the hub here is this test.
async function fetching(page) {
  const config = { architectures: ["LlamaForCausalLM"], model_type: "llama", hidden_size: 1024, intermediate_size: 4096, num_hidden_layers: 4,
    num_attention_heads: 8, num_key_value_heads: 2, vocab_size: 32000, head_dim: 128, max_position_embeddings: 4096, torch_dtype: "bfloat16" };
  const asked = [];
  page.hub = ({ requestId, request }) => {
    asked.push(request.url);
    const found = request.url.endsWith("/config.json");
    page.send("Fetch.fulfillRequest", { requestId, responseCode: found ? 200 : 404, responseHeaders: [{ name: "Access-Control-Allow-Origin", value: "*" }],
      body: Buffer.from(found ? JSON.stringify(config) : "").toString("base64") });
  };
  await page.send("Fetch.enable", { patterns: [{ urlPattern: "https://*" }] });
  await page.run(value("line", "vllm serve some-lab/Tiny"));
  assert.match(await page.run(text("#answer")), /some-lab\/Tiny/);
  assert.deepEqual(asked, []);
  await page.run('document.getElementById("fetch").click()');
  await page.until('document.querySelector("#answer table")');
  assert.match(await page.run(text("#answer .facts")), /bytes per token4,096/); // 4 layers x 2 x 2 heads x 128 x 2 bytes
  assert.ok(asked.length > 0 && asked.every((address) => address.startsWith("https://huggingface.co/some-lab/Tiny/resolve/main/")));
  await page.send("Fetch.disable");
  page.said = page.said.filter((line) => !/404/.test(line)); // the hub's "there is no such file"
}

// What a reader of the screen and a keyboard need: names for every control, no trap, headings in order.
async function reachable(page) {
  assert.deepEqual(await page.run(NAMELESS), []);
  await page.run("document.activeElement.blur(), window.scrollTo(0, 0)");
  const order = [];
  for (let i = 0; i < 18; i++) {
    await page.key("Tab", 9);
    order.push(await page.run("document.activeElement.id || document.activeElement.className || document.activeElement.tagName"));
  }
  for (const id of ["line", "model", "gpu", "engine", "s-max_model_len", "log"]) assert.ok(order.includes(id), `${id} of ${order}`);
  assert.equal(await page.run('document.getElementById("status").getAttribute("aria-live")'), "polite");
  assert.equal(await page.run('document.querySelector("#answer svg").getAttribute("role")'), "img");
}

async function figures(page) {
  const listed = JSON.parse(await page.run('JSON.stringify(kvbudgetPage.core.ask({ command: "profiles", paths: ["list"] }))'));
  const asked = deployments(22, count, listed.models.map((each) => each.id), listed.gpus.map((each) => each.id));
  const took = [];
  for (const request of asked) {
    await page.run(`document.getElementById("gpu").value = ${JSON.stringify(request.gpu)}, document.getElementById("engine").value = ${JSON.stringify(request.engine)}`);
    const shown = await page.run(`${value("line", request.line)}, JSON.stringify({ took: kvbudgetPage.milliseconds,
      parts: Object.fromEntries([...document.querySelectorAll("#answer [data-part]")].map((e) => [e.dataset.part, Number(e.dataset.bytes)])),
      verdict: document.querySelector("#answer h2").className, error: document.querySelector("#answer pre.error")?.textContent ?? null,
      document: JSON.stringify(kvbudgetPage.core.askDocument({ ...${JSON.stringify(request)}, line: ${JSON.stringify(request.line.split(" "))} })) })`);
    compare(request, JSON.parse(shown), native(tool, request), took);
  }
  took.sort((a, b) => a - b);
  return { median: took[took.length >> 1], late: took[Math.floor(took.length * 0.95)] };
}

function compare(request, shown, said, took) {
  const wanted = JSON.parse(said), where = JSON.stringify(request);
  assert.equal(comparable(JSON.parse(shown.document)), said, where);
  if (!wanted.budget) return assert.equal(shown.verdict, "verdict trouble", where);
  took.push(shown.took);
  assert.equal(shown.verdict, "verdict " + wanted.verdict, where);
  assert.equal(shown.error, wanted.startup.error, where);
  for (const [part, bytes] of Object.entries(shown.parts)) assert.equal(bytes, wanted.budget[part], `${part} of ${where}`);
}

async function look(page) {
  await page.run(value("engine", ""));
  await page.run(value("gpu", "l4"));
  await page.run(value("line", "vllm serve Qwen/Qwen3-8B --max-model-len 40960"));
  for (const [width, height, dark] of [[390, 844, false], [390, 844, true], [1280, 900, false], [1280, 900, true]]) {
    await page.look(width, height, pictures && path.join(pictures, `page-${width}${dark ? "-dark" : ""}.png`), dark);
    assert.deepEqual(await page.run(NAMELESS), []);
    assert.ok((await page.run("document.documentElement.scrollWidth")) <= width, `wider than ${width}`);
  }
}

async function main() {
  const browser = new Browser(binary);
  try {
    const page = await browser.page();
    await page.open(ADDRESS);
    await page.until("globalThis.kvbudgetPage?.ready");
    for (const step of [pickers, typing, sliders, advice, sibling, beside, log]) await step(page);
    await shared(page, browser);
    await fetching(page);
    await reachable(page);
    const took = await figures(page);
    await look(page);
    assert.deepEqual(page.said, []);
    assert.ok(page.requests.every((address) => /^(file|data|blob|about|https:\/\/huggingface\.co\/some-lab)/.test(address)), page.requests.join(" "));
    console.log(`page: ${count} random deployments as the native tool has them; ${took.median.toFixed(1)} ms an answer, 95 in 100 below ${took.late.toFixed(1)}`);
  } finally {
    await browser.close();
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
