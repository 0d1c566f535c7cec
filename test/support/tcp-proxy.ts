import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A TCP proxy before a server of this machine, whose connections can be broken, slowed, paused and left without an answer. */
export interface TcpProxy {
  readonly port: number;
  /** Breaks every connection. */
  drop(): void;
  /** What its connections carry from now on comes so many milliseconds late. */
  slow(ms: number): void;
  /** Carries nothing for so long, and then everything. */
  pause(ms: number): Promise<void>;
  /** Its connections stay open and carry nothing any more, as when the machine behind them has lost its power; new ones are served. */
  silence(): void;
  close(): void;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  silent: boolean;
}

/** `target` answers the port of a new connection's server; null: the connection is refused. */
export async function openProxy(target: () => number | null): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let delayMs = 0;
  let paused = Promise.resolve();
  const carry = (pair: Pair, from: Socket, to: Socket) => {
    let before = Promise.resolve();
    from.on("data", (chunk) => {
      from.pause();
      before = before.then(async () => {
        await paused;
        if (delayMs > 0) await sleep(delayMs);
        if (pair.silent) return;
        to.write(chunk);
        from.resume();
      });
    });
    from.on("error", () => {});
    from.on("end", () => {
      void before.then(() => {
        if (!pair.silent) to.end();
      });
    });
    from.on("close", () => {
      if (from === pair.near) pairs.delete(pair);
      void before.then(() => {
        if (!pair.silent || from === pair.near) to.destroy();
      });
    });
  };
  // With half-open connections, one that is silent does not even answer that it is closed.
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const port = target();
    if (port === null) {
      near.on("error", () => {}).destroy();
      return;
    }
    const pair = { near, far: connect({ port, host: "127.0.0.1", allowHalfOpen: true }), silent: false };
    pairs.add(pair);
    carry(pair, near, pair.far);
    carry(pair, pair.far, near);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const drop = () => {
    for (const { near, far } of pairs) for (const socket of [near, far]) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    drop,
    slow: (ms) => {
      delayMs = ms;
    },
    async pause(ms) {
      const { promise, resolve } = Promise.withResolvers<void>();
      paused = promise;
      await sleep(ms);
      resolve();
    },
    silence() {
      for (const pair of pairs) {
        pair.silent = true;
        pair.far.destroy();
      }
    },
    close() {
      drop();
      server.close();
    },
  };
}
