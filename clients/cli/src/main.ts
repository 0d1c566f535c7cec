#!/usr/bin/env node
import { createInterface as createLines } from "node:readline";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { tefo } from "./tefo.ts";

/** Asks on the terminal without showing what is typed; elsewhere reads all of stdin. */
async function askSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return text(process.stdin);
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const asking = createInterface({ input: process.stdin, output: silent, terminal: true });
  const answer = await asking.question("");
  asking.close();
  process.stderr.write("\n");
  return answer;
}

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

process.exitCode = await tefo(process.argv.slice(2), {
  env: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  say: (line) => process.stderr.write(`${line}\n`),
  askSecret,
  lines: () => createLines({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY, signal: stop.signal }),
  signal: stop.signal,
});
