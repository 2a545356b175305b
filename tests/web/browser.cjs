// A Chromium driven through a pair of pipes: no network, no packages.
"use strict";
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

class Browser {
  constructor(binary) {
    this.profile = fs.mkdtempSync(path.join(os.tmpdir(), "kvbudget-page-"));
    const words = ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
      "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", `--user-data-dir=${this.profile}`, "about:blank"];
    this.process = spawn(binary, words, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.waiting = new Map();
    this.listeners = [];
    this.id = 0;
    let rest = "";
    this.process.stdio[4].setEncoding("utf8");
    this.process.stdio[4].on("data", (text) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop();
      messages.forEach((message) => this.take(JSON.parse(message)));
    });
    this.ended = new Promise((resolve) => this.process.on("exit", resolve));
  }
  take(message) {
    const waiting = this.waiting.get(message.id);
    if (!waiting) return this.listeners.forEach((listener) => listener(message));
    this.waiting.delete(message.id);
    if (message.error) waiting.reject(new Error(`${waiting.method}: ${message.error.message}`));
    else waiting.resolve(message.result);
  }
  send(method, params, sessionId) {
    const id = ++this.id;
    this.process.stdio[3].write(JSON.stringify({ id, method, params: params || {}, sessionId }) + "\0");
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject, method }));
  }
  async page() {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    return new Page(this, sessionId);
  }
  async close() {
    await this.send("Browser.close").catch(() => {});
    await this.ended;
    fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Page {
  constructor(browser, session) {
    this.browser = browser;
    this.session = session;
    this.said = []; // whatever the console or the network had to say
    this.requests = [];
    browser.listeners.push((message) => message.sessionId === session && this.listen(message));
  }
  listen({ method, params }) {
    if (method === "Runtime.consoleAPICalled") this.said.push(params.args.map((each) => each.value || each.description).join(" "));
    if (method === "Runtime.exceptionThrown") this.said.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
    if (method === "Log.entryAdded") this.said.push(`${params.entry.text} ${params.entry.url || ""}`);
    if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    if (method === "Fetch.requestPaused" && this.hub) this.hub(params);
  }
  send(method, params) {
    return this.browser.send(method, params, this.session);
  }
  async open(address) {
    for (const domain of ["Runtime", "Log", "Page", "Network"]) await this.send(domain + ".enable");
    await this.send("Page.navigate", { url: address });
  }
  // The value of an expression, awaited.
  async run(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description || exceptionDetails.text}`);
    return result.value;
  }
  async until(expression, seconds = 60) {
    for (const end = Date.now() + 1000 * seconds; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
      if (await this.run(expression).catch(() => false)) return;
    }
    throw new Error(`${expression} never came true`);
  }
  async key(key, code, text) {
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, code: key, windowsVirtualKeyCode: code, text });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, code: key, windowsVirtualKeyCode: code });
  }
  type(text) {
    return this.send("Input.insertText", { text });
  }
  async look(width, height, file, dark) {
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
    await this.run("new Promise((done) => setTimeout(done, 300))");
    if (!file) return;
    const { data } = await this.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: true });
    fs.writeFileSync(file, Buffer.from(data, "base64"));
  }
}

module.exports = { Browser };
