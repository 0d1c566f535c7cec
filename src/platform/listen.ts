import pg from "pg";
import { endConnection } from "./lost-servers.ts";

const RETRY_MS = 1_000;
/** How often the server is asked whether it is still there, and how long it has for the answer. */
const ASKED_EACH_MS = 30_000;
const ANSWER_MS = 10_000;

/**
 * Calls `wake` for each notification on the channel, and after each connect, when some may have been missed. Reconnects
 * until the answered function is called.
 */
export function listen(config: pg.ClientConfig, channel: string, wake: () => void): () => Promise<void> {
  let client: pg.Client | null = null;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;
  /** Ends a connection, and makes another in place of the present one. A standby accepts connections, and refuses to listen. */
  const lose = (lost: pg.Client) => {
    void endConnection(lost);
    if (stopped || client !== lost) return;
    client = null;
    retry = setTimeout(start, RETRY_MS);
  };
  const start = () => {
    const next = new pg.Client({ ...config, query_timeout: ANSWER_MS });
    client = next;
    const again = () => lose(next);
    next.on("error", again);
    next.on("end", again);
    next.on("notification", wake);
    next
      .connect()
      .then(() => next.query(`listen ${pg.escapeIdentifier(channel)}`))
      .then(wake, again);
  };
  const asking = setInterval(() => {
    const asked = client;
    asked?.query("select").catch(() => lose(asked));
  }, ASKED_EACH_MS);
  start();
  return async () => {
    stopped = true;
    clearTimeout(retry);
    clearInterval(asking);
    if (client) await endConnection(client);
  };
}
