import type { Socket } from "node:net";
import type pg from "pg";

/*
 * A machine that loses its power or its network ends no connection: without these, a process would wait on its old
 * connections for as long as it runs.
 */

/** Settings of every connection: it is given up when its server's machine is gone, and a server must accept it in time. */
export const NOTICES_LOSS = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  connectionTimeoutMillis: 10_000,
} as const;

/** Longer than the server gives a statement. */
export const SILENCE_MS = 60_000;
/** After how long unused connections of a pool are closed: before they count as silent. */
export const unusedMs = (silenceMs = SILENCE_MS): number => Math.round((silenceMs * 5) / 6);

/**
 * Breaks a pool's connection when its server has been silent for so long: what waits for an answer fails, as when the
 * server ends the connection.
 */
export function breakWhenSilent(client: pg.ClientBase, afterMs = SILENCE_MS): void {
  const stream = streamOf(client);
  stream.setTimeout(afterMs, () => stream.destroy(new Error("connection timeout: the database did not answer")));
}

/** Changes how long the server of a connection that `breakWhenSilent` watches may be silent. */
export const allowSilence = (connected: Connected, afterMs: number): void =>
  void streamOf(connected).setTimeout(afterMs);

/** A client of `pg`, or what has its connection: its stream is a socket, which the types do not say. */
type Connected = pg.ClientBase | { readonly connection: pg.Connection };

const streamOf = (connected: Connected): Socket =>
  (connected as { readonly connection: Pick<pg.Connection, "stream"> }).connection.stream as Socket;

/** How long a server has to say goodbye. */
const FAREWELL_MS = 2_000;

/** Ends a connection; it is broken off when its server does not answer. Never throws. */
export async function endConnection(client: pg.Client): Promise<void> {
  breakWhenSilent(client, FAREWELL_MS);
  await client.end().catch(() => {});
}
