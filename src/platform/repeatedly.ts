import type { Log } from "./log.ts";

/** Runs it now and at every interval; a failure is logged. The answer ends it, after the run under way. */
export function repeatedly(
  everyMs: number,
  log: Log,
  failed: string,
  run: () => Promise<unknown>,
): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  const once = () => {
    running = run().catch((error: unknown) => log.error({ err: error }, failed));
  };
  const timer = setInterval(once, everyMs);
  once();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
