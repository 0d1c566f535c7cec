import type { Log } from "../platform/log.ts";
import { createLog } from "../platform/log.ts";
import { openService } from "./compose.ts";
import { type Config, readConfig } from "./config.ts";
import { ensureDashboard } from "./dashboard-build.ts";
import { makeDemo } from "./demo.ts";
import { welcome } from "./welcome.ts";

/** Signals within this time count as one: the terminal sends Ctrl-C to this process, and npm forwards it again. */
const SAME_SIGNAL_MS = 1_000;

/**
 * Runs one process until a signal ends it. Answers the exit code: 0 after everything under way has finished, 1 when it could not start
 * or could not go on.
 */
export async function serve(environment: Readonly<Record<string, string | undefined>>): Promise<number> {
  const ending = listenForSignals();
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    return refuseToStart(error, null);
  }
  const log = createLog(config.logLevel);
  endOnFaults(log);
  let exitCode = 0;
  try {
    if (config.process !== "worker") await ensureDashboard(log);
    const service = await openService(config, log, () => {
      log.fatal("PostgreSQL came back under another port; this process ends and must be started again");
      exitCode = 1;
      ending.end();
    });
    try {
      const demo = config.demo ? await makeDemo(config, service) : null;
      if (config.process !== "worker") await service.identity.prepare();
      log.info({ process: config.process, baseUrl: service.services.baseUrl }, "ready");
      process.stderr.write(welcome(config, service.services, demo));
      await ending.asked;
      log.info("stopping");
    } finally {
      await service.stop();
    }
  } catch (error) {
    return refuseToStart(error, log);
  }
  log.info("stopped");
  return exitCode;
}

function listenForSignals(): { asked: Promise<void>; end(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let firstAt: number | null = null;
  const onSignal = () => {
    firstAt ??= performance.now();
    if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(1);
    resolve();
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  return { asked: promise, end: resolve };
}

/** Ends the process after an uncaught error, since its state is then unknown. */
function endOnFaults(log: Log): void {
  for (const event of ["uncaughtException", "unhandledRejection"] as const)
    process.on(event, (error) => {
      log.fatal({ err: error }, event);
      process.exit(1);
    });
}

/** Expected errors are shown as one line; others with their stack. */
function refuseToStart(error: unknown, log: Log | null): number {
  const forPeople = error instanceof Error && Object.getPrototypeOf(error) === Error.prototype;
  if (!forPeople) log?.fatal({ err: error }, "failed");
  process.stderr.write(`Tefo cannot run: ${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
}
