import pg from "pg";

/**
 * Calls `wake` for each notification on the channel, and after each connect, when some may have been missed. Reconnects
 * until the answered function is called.
 */
export function listen(config: pg.ClientConfig, channel: string, wake: () => void): () => Promise<void> {
  let client: pg.Client | null = null;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;
  const again = () => {
    if (stopped || retry) return;
    retry = setTimeout(() => {
      retry = undefined;
      void start();
    }, 1_000);
  };
  const start = async () => {
    const next = new pg.Client(config);
    next.on("error", again);
    next.on("end", again);
    next.on("notification", wake);
    client = next;
    await next
      .connect()
      .then(() => next.query(`listen ${pg.escapeIdentifier(channel)}`))
      .then(wake, again);
  };
  void start();
  return async () => {
    stopped = true;
    clearTimeout(retry);
    await client?.end().catch(() => {});
  };
}
