/** Whether an LLM server will start, where every byte of GPU memory goes, and what to set instead. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Members beside the named ones are flags of the command with underscores: `max_model_len: 4096`. */
export interface Request {
  command?: string;
  model?: string;
  gpu?: string;
  engine?: string;
  /** A serve command as one types it, or its words. */
  line?: string | string[];
  /** The keys of a deployment profile. */
  deployment?: { [key: string]: Json };
  /** The text of a log, for `explain`. */
  log?: string;
  /** Files added before, for `check`. */
  paths?: string[];
  [flag: string]: Json | undefined;
}

export type Flags = { [flag: string]: Json | undefined };

/** A document as `kvbudget COMMAND --json` prints it; its keys are those of docs/json-output.md. */
export interface Document {
  schema: string;
  exit_code?: number;
  problems?: Problem[];
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  [key: string]: any;
}

export interface Problem {
  severity: "notice" | "warning" | "error";
  code: string;
  file: string | null;
  line: number | null;
  column: number | null;
  text: string;
}

/** What could not be answered. */
export class KvbudgetError extends Error {
  readonly problems: Problem[];
}

export class Kvbudget {
  constructor(module: WebAssembly.Module);
  version(): string;
  addFile(path: string, text: string | Uint8Array): void;
  /** A model's files as the hub serves them, so that its name is known: `{"config.json": text}`. */
  addModel(name: string, files: { [file: string]: string | Uint8Array }): void;
  /** The answer; throws `KvbudgetError` where there is none. */
  ask(request: Request): Document;
  /** The document as it comes, also where there is no answer. */
  askDocument(request: Request): Document;
  plan(request: Request): Document;
  explain(log: string, flags?: Flags): Document;
  models(gpu: string, flags?: Flags): Document;
  sweep(lists: { [name: string]: Json }): Document;
  check(files: { [path: string]: string | Uint8Array }, flags?: Flags): Document;
}

/** From the bytes of kvbudget.wasm; in Node, without them, those of the file beside this one. */
export function load(bytes?: BufferSource): Promise<Kvbudget>;
