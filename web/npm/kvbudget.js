// The tool's core, compiled to WebAssembly, behind one call. Works as a CommonJS module and as a script of a page, where
// it is the global `kvbudget`.
"use strict";
(function (publish) {
  const ERRNO = { badf: 8, noent: 44, nosys: 52, notdir: 54, rofs: 69 };
  const KIND = { folder: 3, file: 4, device: 2 };

  // Files that requests may name, all in memory: the core sees nothing of the machine.
  class Files {
    constructor() {
      this.files = new Map();
      this.open = new Map();
    }
    static key(path) {
      return path.split("/").filter((part) => part !== "" && part !== ".").join("/");
    }
    put(path, text) {
      this.files.set(Files.key(path), typeof text === "string" ? new TextEncoder().encode(text) : text);
    }
    find(path) {
      const key = Files.key(path);
      const bytes = this.files.get(key);
      if (bytes !== undefined) return { key, bytes, kind: KIND.file };
      const inside = key === "" ? "" : key + "/";
      for (const name of this.files.keys()) if (name.startsWith(inside)) return { key, kind: KIND.folder };
      return key === "" ? { key, kind: KIND.folder } : null;
    }
    entries(key) {
      const inside = key === "" ? "" : key + "/";
      const names = new Map();
      for (const name of this.files.keys()) {
        if (!name.startsWith(inside)) continue;
        const rest = name.slice(inside.length).split("/");
        names.set(rest[0], rest.length > 1 ? KIND.folder : KIND.file);
      }
      return [...names];
    }
  }

  // The system calls of WASI that reading files takes; every other one says that it is not there.
  function calls(files, memory, environment) {
    const view = () => new DataView(memory().buffer);
    const bytes = (at, length) => new Uint8Array(memory().buffer, at, length);
    const text = (at, length) => new TextDecoder().decode(bytes(at, length));
    const stat = (at, found) => {
      bytes(at, 64).fill(0);
      view().setUint8(at + 16, found.kind);
      view().setBigUint64(at + 24, 1n, true);
      view().setBigUint64(at + 32, BigInt(found.bytes ? found.bytes.length : 0), true);
      return 0;
    };
    const copy = (opened, vectors, count, from) => {
      let done = 0;
      for (let i = 0; i < count; i++) {
        const at = view().getUint32(vectors + 8 * i, true);
        const part = opened.bytes.subarray(from + done, from + done + view().getUint32(vectors + 8 * i + 4, true));
        bytes(at, part.length).set(part);
        done += part.length;
      }
      return done;
    };
    const opened = (descriptor) => (descriptor === 3 ? { key: "", kind: KIND.folder } : files.open.get(descriptor));
    const below = (descriptor, at, length) => `${opened(descriptor)?.key ?? ""}/${text(at, length)}`;
    const encoded = environment.map((line) => new TextEncoder().encode(line + "\0"));
    return {
      environ_sizes_get(count, size) {
        view().setUint32(count, encoded.length, true);
        view().setUint32(size, encoded.reduce((sum, line) => sum + line.length, 0), true);
        return 0;
      },
      environ_get(pointers, at) {
        encoded.forEach((line, i) => {
          view().setUint32(pointers + 4 * i, at, true);
          bytes(at, line.length).set(line);
          at += line.length;
        });
        return 0;
      },
      clock_time_get(id, precision, at) {
        view().setBigUint64(at, BigInt(Date.now()) * 1000000n, true);
        return 0;
      },
      fd_prestat_get(descriptor, at) {
        if (descriptor !== 3) return ERRNO.badf;
        view().setUint32(at, 0, true);
        view().setUint32(at + 4, 1, true);
        return 0;
      },
      fd_prestat_dir_name(descriptor, at) {
        view().setUint8(at, "/".charCodeAt(0));
        return 0;
      },
      fd_fdstat_get(descriptor, at) {
        const found = opened(descriptor);
        if (!found && descriptor > 2) return ERRNO.badf;
        bytes(at, 24).fill(0);
        view().setUint8(at, found ? found.kind : KIND.file);
        view().setBigUint64(at + 8, ~0n & 0xffffffffffffffffn, true);
        view().setBigUint64(at + 16, ~0n & 0xffffffffffffffffn, true);
        return 0;
      },
      fd_fdstat_set_flags: () => 0,
      fd_filestat_get(descriptor, at) {
        const found = opened(descriptor);
        return found ? stat(at, found) : ERRNO.badf;
      },
      path_filestat_get(descriptor, flags, path, length, at) {
        const found = files.find(below(descriptor, path, length));
        return found ? stat(at, found) : ERRNO.noent;
      },
      path_open(descriptor, lookup, path, length, flags, rights, inheriting, state, at) {
        const found = files.find(below(descriptor, path, length));
        if (!found) return flags & 1 ? ERRNO.rofs : ERRNO.noent;
        if (flags & 2 && found.kind !== KIND.folder) return ERRNO.notdir;
        let next = 4;
        while (files.open.has(next)) next++;
        files.open.set(next, { ...found, at: 0 });
        view().setUint32(at, next, true);
        return 0;
      },
      fd_close(descriptor) {
        return files.open.delete(descriptor) ? 0 : ERRNO.badf;
      },
      fd_read(descriptor, vectors, count, at) {
        const found = files.open.get(descriptor);
        if (!found || !found.bytes) return ERRNO.badf;
        const done = copy(found, vectors, count, found.at);
        found.at += done;
        view().setUint32(at, done, true);
        return 0;
      },
      fd_pread(descriptor, vectors, count, from, at) {
        const found = files.open.get(descriptor);
        if (!found || !found.bytes) return ERRNO.badf;
        view().setUint32(at, copy(found, vectors, count, Number(from)), true);
        return 0;
      },
      fd_readdir(descriptor, at, length, cookie, used) {
        const found = opened(descriptor);
        if (!found) return ERRNO.badf;
        const entries = files.entries(found.key);
        let done = 0;
        for (let i = Number(cookie); i < entries.length && done < length; i++) {
          const name = new TextEncoder().encode(entries[i][0]);
          const entry = new Uint8Array(24 + name.length);
          const head = new DataView(entry.buffer);
          head.setBigUint64(0, BigInt(i + 1), true);
          head.setBigUint64(8, BigInt(i + 1), true);
          head.setUint32(16, name.length, true);
          head.setUint8(20, entries[i][1]);
          entry.set(name, 24);
          const part = entry.subarray(0, length - done);
          bytes(at + done, part.length).set(part);
          done += part.length;
        }
        view().setUint32(used, done, true);
        return 0;
      },
      proc_exit(code) {
        throw new WebAssembly.RuntimeError("the core ended with " + code);
      },
    };
  }

  // What could not be answered; `problems` hold file, line, column and text.
  class KvbudgetError extends Error {
    constructor(problems) {
      const errors = problems.filter((problem) => problem.severity === "error");
      const said = errors.map((problem) => {
        const place = [problem.file, problem.line, problem.column].filter((part) => part != null).join(":");
        return place ? place + ": " + problem.text : problem.text;
      });
      super(said.join("; ") || "the request could not be answered");
      this.name = "KvbudgetError";
      this.problems = problems;
    }
  }

  const CACHE = "/cache";

  class Kvbudget {
    constructor(module) {
      this.module = module;
      this.files = new Files();
      this.start();
    }
    start() {
      const present = calls(this.files, () => this.core.memory, ["KVBUDGET_OFFLINE=1", "KVBUDGET_CACHE=" + CACHE]);
      const imports = {};
      for (const { name } of WebAssembly.Module.imports(this.module)) imports[name] = present[name] || (() => ERRNO.nosys);
      this.core = new WebAssembly.Instance(this.module, { wasi_snapshot_preview1: imports }).exports;
      this.core._initialize();
    }
    at(pointer) {
      const memory = new Uint8Array(this.core.memory.buffer);
      return new TextDecoder().decode(memory.subarray(pointer, memory.indexOf(0, pointer)));
    }
    version() {
      return this.at(this.core.kvb_version());
    }
    // A file that requests may name: a config.json, a profile, a manifest.
    addFile(path, text) {
      this.files.put(path, text);
    }
    // A model as the hub serves it, so that its name is known from now on: {"config.json": text, ...}.
    addModel(name, files) {
      const folder = CACHE + "/hub/models--" + name.replace("/", "--");
      this.files.put(folder + "/refs/main", "0");
      for (const [file, text] of Object.entries(files)) this.files.put(folder + "/snapshots/0/" + file, text);
    }
    // The document as it comes, errors included.
    askDocument(request) {
      const bytes = new TextEncoder().encode(JSON.stringify(request) + "\0");
      try {
        const at = this.core.malloc(bytes.length);
        if (at === 0) throw new WebAssembly.RuntimeError("out of memory");
        new Uint8Array(this.core.memory.buffer, at, bytes.length).set(bytes);
        const answer = this.core.kvb_ask(at);
        this.core.free(at);
        if (answer === 0) throw new WebAssembly.RuntimeError("out of memory");
        const document = JSON.parse(this.at(answer));
        this.core.kvb_ask_free(answer);
        return document;
      } catch (error) {
        if (error instanceof WebAssembly.RuntimeError) this.start(); // what broke is not asked again
        throw error;
      }
    }
    ask(request) {
      const document = this.askDocument(request);
      if (document.exit_code >= 2) throw new KvbudgetError(document.problems || []);
      return document;
    }
    plan(request) {
      return this.ask({ ...request, command: "plan" });
    }
    explain(log, flags) {
      return this.ask({ ...flags, log, command: "explain" });
    }
    models(gpu, flags) {
      return this.ask({ ...flags, gpu, command: "models" });
    }
    sweep(lists) {
      const request = { command: "sweep" };
      for (const [name, values] of Object.entries(lists)) request[name] = Array.isArray(values) ? values.join(",") : values;
      return this.ask(request);
    }
    // Deployments in files given as {path: text}.
    check(files, flags) {
      for (const [path, text] of Object.entries(files)) this.addFile(path, text);
      return this.ask({ ...flags, paths: Object.keys(files), command: "check" });
    }
  }

  // From the bytes of kvbudget.wasm; in Node, without them, those of the file beside this one.
  async function load(bytes) {
    const source = bytes || require("node:fs").readFileSync(require("node:path").join(__dirname, "kvbudget.wasm"));
    return new Kvbudget(await WebAssembly.compile(source));
  }

  publish({ load, Kvbudget, KvbudgetError });
})(typeof module === "object" ? (names) => (module.exports = names) : (names) => (globalThis.kvbudget = names));
