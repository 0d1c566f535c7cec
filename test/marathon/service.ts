import assert from "node:assert/strict";
import { freePort } from "../../src/app/listen.ts";
import { generateMasterKey } from "../../src/platform/secrets.ts";
import { type Environment, keepRunning, ready } from "../support/crashes.ts";
import { CODE_FOLDER, eventually, type Test, temporaryFolder } from "../support/processes.ts";
import { openProxy, type TcpProxy } from "../support/tcp-proxy.ts";
import { type Conduct, openUnreliableGateway } from "../support/unreliable-gateway.ts";
import type { Cluster } from "./servers.ts";

/** One process of the service, with what is between it and PostgreSQL. */
export interface Process {
  readonly name: string;
  readonly port: number;
  readonly database: TcpProxy;
  /** With which it starts the next time. */
  readonly environment: Record<string, string>;
  readonly kept: ReturnType<typeof keepRunning>;
}

/** Two processes that serve HTTP and two workers, over one cluster and one gateway. */
export interface Service {
  readonly processes: readonly Process[];
  /** What a load balancer would be: leads to the processes that serve HTTP, in turn. */
  readonly front: TcpProxy;
  /** For the command line. */
  readonly environment: Environment;
  /** Decides what becomes of each request to the gateway from now on. */
  conduct(of: () => Conduct): void;
  /** Whether some process still runs the release. */
  runsRelease(): boolean;
  /** Restarts one process after the other with the code of this tree, each once the one before is ready. */
  upgrade(): Promise<void>;
  /** Waits until each process is ready. */
  allReady(): Promise<void>;
  stop(): Promise<void>;
}

const over = (shared: Environment, database: TcpProxy): Record<string, string> => ({
  ...shared,
  DATABASE_URL: `postgres://tefo:none@127.0.0.1:${database.port}/tefo`,
});

/** Restarts a process with the code of this tree. */
async function upgraded({ environment, kept, port }: Process): Promise<void> {
  const before = kept.starts();
  delete environment[CODE_FOLDER];
  kept.signal("SIGTERM");
  await eventually("the process has ended", async () => kept.starts() > before);
  assert.ok(await ready(port), kept.output());
}

const KINDS = ["api", "api", "worker", "worker"] as const;

/**
 * Starts them, each of which is started again whenever it ends; `cluster` must have its primary. They run the code of
 * `release`, a folder, until they are upgraded; null: that of this tree.
 */
export async function openService(t: Test, cluster: Cluster, release: string | null = null): Promise<Service> {
  let conduct: () => Conduct = () => "answers";
  let turn = 0;
  const ports = await Promise.all(KINDS.map(() => freePort("127.0.0.1")));
  const front = await openProxy(() => ports[turn++ % 2] ?? null);
  const gateway = await openUnreliableGateway(
    () => front.port,
    () => conduct(),
  );
  const replica = await openProxy(cluster.standbyPort);
  const shared: Environment = {
    SECRET_KEY: generateMasterKey(),
    BASE_URL: `http://127.0.0.1:${front.port}`,
    DATA_DIR: await temporaryFolder(t),
    DEMO: "0",
    IP_RATE_LIMIT: "100000000",
    LOOPBACK_WEBHOOKS: "1",
    LOG_LEVEL: "error",
    DATABASE_REPLICA_URL: `postgres://tefo:none@127.0.0.1:${replica.port}/tefo`,
    GATEWAY_URL_SANDBOX: gateway.url,
    ...(release === null ? {} : { [CODE_FOLDER]: release }),
  };
  const processes: Process[] = [];
  for (const [place, kind] of KINDS.entries()) {
    const port = ports[place] ?? 0;
    const database = await openProxy(cluster.primaryPort);
    const environment = {
      ...over(shared, database),
      PROCESS: kind,
      ...(kind === "api" ? { PORT: String(port) } : { HEALTH_PORT: String(port) }),
    };
    const kept = keepRunning(t, environment, port);
    processes.push({ name: `${kind} ${1 + (place % 2)}`, port, database, environment, kept });
    // The first one migrates the database.
    assert.ok(await ready(port), processes.at(-1)?.kept.output() ?? "");
  }
  const commands = await openProxy(cluster.primaryPort);
  const ofCommands = over(shared, commands);
  return {
    processes,
    front,
    environment: ofCommands,
    runsRelease: () => CODE_FOLDER in ofCommands,
    async upgrade() {
      for (const process of processes) await upgraded(process);
      delete ofCommands[CODE_FOLDER];
    },
    conduct: (of) => {
      conduct = of;
    },
    async allReady() {
      for (const { port, kept } of processes) assert.ok(await ready(port), kept.output());
    },
    async stop() {
      await Promise.all(
        processes.map(({ kept }) => {
          kept.signal("SIGCONT");
          return kept.stop();
        }),
      );
      gateway.close();
      for (const proxy of [front, commands, replica, ...processes.map(({ database }) => database)]) proxy.close();
    },
  };
}
