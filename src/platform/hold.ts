import pg from "pg";
import { withoutDatabase } from "./faults.ts";
import { endConnection } from "./lost-servers.ts";

/** A name that this process holds, by a connection of its own: when the process or the connection ends, the name is free at once. */
export interface Hold {
  /** False once the connection was lost. */
  readonly held: boolean;
  release(): Promise<void>;
}

/** Holds a name until it is released; null when it is held already. */
export async function hold(config: pg.ClientConfig, name: string): Promise<Hold | null> {
  const client = new pg.Client(config);
  let held = true;
  const lose = () => {
    held = false;
  };
  client.on("error", lose);
  client.on("end", lose);
  try {
    await client.connect();
    const { rows } = await client.query<{ taken: boolean }>(
      "select pg_try_advisory_lock(hashtextextended('hold ' || $1, 0)) as taken",
      [name],
    );
    if (rows[0]?.taken)
      return {
        get held() {
          return held;
        },
        release: () => endConnection(client),
      };
  } catch (error) {
    await endConnection(client);
    throw withoutDatabase(error);
  }
  await endConnection(client);
  return null;
}
