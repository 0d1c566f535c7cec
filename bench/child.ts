import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A file of this folder running in a process of its own, so that it does not slow the measuring process. */
export interface Helper<Request, Answer> {
  /** One at a time. Rejects when the process ends before it answers. */
  ask(request: Request): Promise<Answer>;
  stop(): Promise<void>;
}

/** Starts `bench/<file>`, which answers requests with `serveParent`. */
export function startHelper<Request extends object, Answer>(file: string): Helper<Request, Answer> {
  const child = fork(join(import.meta.dirname, file), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  return {
    ask: (request) => ask(child, file, request),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}

function ask<Answer>(child: ChildProcess, file: string, request: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      child.off("message", answered);
      child.off("exit", ended);
    };
    const answered = (message: { answer?: Answer; error?: string }) => {
      settle();
      if (message.error === undefined) resolve(message.answer as Answer);
      else reject(new Error(`bench/${file}: ${message.error}`));
    };
    const ended = () => {
      settle();
      reject(new Error(`bench/${file} ended before it answered`));
    };
    child.once("message", answered);
    child.once("exit", ended);
    child.send(request);
  });
}

/** In the child process: answers each request of the parent, and ends with it. */
export function serveParent<Request, Answer>(answer: (request: Request) => Promise<Answer>): void {
  process.on("disconnect", () => process.exit());
  // Ctrl-C reaches every process of the terminal; the parent stops this one after it has cleaned up.
  process.on("SIGINT", () => {});
  process.on("message", async (request: Request) => {
    try {
      process.send?.({ answer: await answer(request) });
    } catch (error) {
      process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
}
