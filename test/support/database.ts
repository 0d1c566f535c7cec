import { checkLocks } from "../../src/domain/locks.ts";
import { createClone, dropClone, SERVER_VARIABLE, startTestServer, type TestServer } from "./postgres.ts";
import { checkEvents } from "./sent-events.ts";

/** A migrated database of one test, or of one file's tests. */
export interface TestDatabase {
  /** URL for the superuser; the product's connections take the role `tefo_app` by themselves. */
  readonly url: string;
  /** Called automatically at the end; ends open connections. */
  drop(): Promise<void>;
}

checkLocks();

/** Started only when a file runs without the runner, which gives the URL of its own. */
let own: Promise<TestServer> | null = null;
/** Databases to drop when the process has nothing left to do, after all hooks of the file. */
const clones = new Set<TestDatabase>();
/** Events that do not match their schema; they fail the file at its end. */
const faults: unknown[] = [];

async function serverUrl(): Promise<string> {
  const given = process.env[SERVER_VARIABLE];
  if (given !== undefined) return given;
  own ??= startTestServer();
  return (await own).url;
}

async function stopOwn(): Promise<void> {
  if (own) await (await own).stop();
}

process.once("beforeExit", async () => {
  for (const clone of clones) await clone.drop();
  await stopOwn();
  if (faults.length > 0) throw faults[0];
});
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void stopOwn().finally(() => process.exit(1)));

/**
 * A fresh copy of the migrated template; about 50 ms. In a test give its `t`: it is dropped when the test ends.
 * In a `before` hook, or at the top of a file, give nothing: it lives until the file's last connection is closed.
 */
export const cloneDatabase = (t?: Ending): Promise<TestDatabase> => createDatabase(t);

/** As `cloneDatabase`, without any migration. */
export const emptyDatabase = (t?: Ending): Promise<TestDatabase> => createDatabase(t, "template0");

interface Ending {
  after(run: () => Promise<void>): void;
}

async function createDatabase(t: Ending | undefined, template?: string): Promise<TestDatabase> {
  const server = await serverUrl();
  const url = await createClone(server, template);
  const clone = {
    url,
    drop: async () => {
      if (!clones.delete(clone)) return;
      await checkEvents(url).catch((error: unknown) => faults.push(error));
      await dropClone(server, url);
    },
  };
  clones.add(clone);
  t?.after(clone.drop);
  return clone;
}
