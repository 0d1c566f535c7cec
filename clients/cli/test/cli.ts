import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Test, temporaryFolder } from "../../../test/support/processes.ts";
import { tefo } from "../src/tefo.ts";

/** What a command line said, and its exit code. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A command that runs until it is ended. */
export interface Started {
  out(): string;
  err(): string;
  /** Ends it, as Ctrl+C does. */
  end(): Promise<Said>;
}

/** A user of the command line with a folder of their own. */
export interface User {
  readonly folder: string;
  run(...words: string[]): Promise<Said>;
  start(...words: string[]): Started;
  /** Runs with lines on stdin. */
  feed(lines: Iterable<string> | AsyncIterable<string>, ...words: string[]): Promise<Said>;
  /** Files of the configuration. */
  files(): string[];
}

/** Runs commands in this process, with `secret` typed where one is asked for. */
export async function openUser(t: Test, secret = ""): Promise<User> {
  const folder = await temporaryFolder(t);
  const begin = (words: readonly string[], lines: Iterable<string> | AsyncIterable<string> = []) => {
    let [out, err] = ["", ""];
    const stop = new AbortController();
    const code = tefo(words, {
      env: { XDG_CONFIG_HOME: folder },
      print: (line) => {
        out += `${line}\n`;
      },
      say: (line) => {
        err += `${line}\n`;
      },
      askSecret: async () => secret,
      lines: async function* () {
        yield* lines;
      },
      signal: stop.signal,
    });
    const said = async () => ({ code: await code, out, err });
    return { out: () => out, err: () => err, said, stop };
  };
  return {
    folder,
    run: (...words) => begin(words).said(),
    feed: (lines, ...words) => begin(words, lines).said(),
    start: (...words) => {
      const { out, err, said, stop } = begin(words);
      return {
        out,
        err,
        end: async () => {
          await sleep(0);
          stop.abort();
          return said();
        },
      };
    },
    files: () => readdirSync(join(folder, "tefo")).sort(),
  };
}
