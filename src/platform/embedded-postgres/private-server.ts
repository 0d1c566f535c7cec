import { once } from "node:events";
import { chown, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Launcher, launch } from "./binaries.ts";
import { lastLines } from "./data-directory.ts";

/** A PostgreSQL that nobody but this process reaches, and that ends with it. */
export interface PrivateServer {
  /** A new connection of a role of the server, without a password. */
  connect(user: string, database: string): Promise<pg.Client>;
  /** Fast shutdown: committed work is kept. Resolves when it is gone. */
  stop(): Promise<void>;
}

interface Options {
  /** Path of the program `postgres`. */
  readonly postgres: string;
  readonly launcher: Launcher;
  /** PostgreSQL's data directory. */
  readonly directory: string;
  /** The number in its socket's name, which the data directory keeps. */
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * Runs the server until standard input ends, which it does when this process ends, however: a server that outlived it would hold the data
 * directory.
 */
const UNTIL_INPUT_ENDS = `
  exec 3<&0
  "$@" 3<&- </dev/null & server=$!
  { cat <&3 >/dev/null; kill -INT $server; } & watch=$!
  wait $server; code=$?
  kill $watch
  exit $code`;
/** Enough to replay the write-ahead log after a crash. */
const START_TIMEOUT_MS = 180_000;
const POLL_MS = 20;

/**
 * Starts PostgreSQL on a socket in a folder that only its user can enter, in which every role may sign in; on no port.
 * Throws with the end of its log when it does not start.
 */
export async function startPrivateServer(options: Options): Promise<PrivateServer> {
  const { launcher, directory, port } = options;
  const folder = await mkdtemp(join(tmpdir(), "tefo-postgres-"));
  const [access, logFile] = [join(folder, "pg_hba.conf"), join(folder, "log")];
  await writeFile(access, "local all all trust\n", { mode: 0o600 });
  if (launcher.user) for (const path of [access, folder]) await chown(path, launcher.user.uid, launcher.user.gid);
  const settings = {
    listen_addresses: "",
    unix_socket_directories: folder,
    unix_socket_permissions: "0700",
    hba_file: access,
    timezone: "UTC",
    log_timezone: "UTC",
    // Nothing but what it is asked to do.
    autovacuum: "off",
    // The caller gets statements' errors; in a file they could contain personal data.
    log_min_error_statement: "panic",
    ...options.settings,
  };
  const given = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const log = await open(logFile, "a", 0o600);
  const command = ["-c", UNTIL_INPUT_ENDS, "sh", options.postgres, "-D", directory, "-p", String(port), ...given];
  // Of another process group: Ctrl-C would end the shell before the server.
  const child = launch(launcher, "/bin/sh", command, { stdio: ["pipe", log.fd, log.fd], detached: true });
  const exited = once(child, "exit").finally(() => log.close());
  child.stdin?.on("error", () => {});
  let running = true;
  void exited.then(
    () => (running = false),
    () => (running = false),
  );
  const stop = async () => {
    child.stdin?.end();
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  const connect = async (user: string, database: string) => {
    const client = new pg.Client({ host: folder, port, user, database, ssl: false, application_name: "tefo upgrade" });
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  try {
    for (const giveUpAt = performance.now() + START_TIMEOUT_MS; ; await sleep(POLL_MS)) {
      if (!running) throw new Error(`PostgreSQL did not start: ${lastLines(await readFile(logFile, "utf8"))}`);
      const client = await connect("postgres", "postgres").catch((error: Error) => error);
      if (!(client instanceof Error)) {
        await client.end();
        return { connect, stop };
      }
      if (performance.now() > giveUpAt) throw new Error(`PostgreSQL does not accept connections: ${client.message}`);
    }
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
}
