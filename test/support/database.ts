import { after } from "node:test";
import { createClone, dropClone, SERVER_VARIABLE, startTestServer, type TestServer } from "./postgres.ts";

/** What `cloneDatabase` needs of a test: a TestContext, or `{ after }` of node:test for a whole file. */
export interface Ending {
  after(run: () => Promise<void>): void;
}

/** A migrated database of this test alone. */
export interface TestDatabase {
  /** Of the superuser; the product's own connections take the role `tefo_app` by themselves. */
  readonly url: string;
  /** Done by itself when the test ends. */
  drop(): Promise<void>;
}

/** Started only when a file runs without the runner, which names its own. */
let own: Promise<TestServer> | null = null;

async function serverUrl(): Promise<string> {
  const given = process.env[SERVER_VARIABLE];
  if (given !== undefined) return given;
  own ??= startTestServer();
  return (await own).url;
}

async function stopOwn(): Promise<void> {
  if (own) await (await own).stop();
}

after(stopOwn);
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void stopOwn().finally(() => process.exit(1)));

/**
 * A fresh copy of the migrated template, dropped when `t` ends; about 50 ms.
 * Close what is connected to it before: what is left is cut off.
 */
export async function cloneDatabase(t: Ending): Promise<TestDatabase> {
  const server = await serverUrl();
  const url = await createClone(server);
  const drop = () => dropClone(server, url);
  t.after(drop);
  return { url, drop };
}
