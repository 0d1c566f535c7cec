import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { findEmbeddedPostgres } from "../../src/platform/embedded-postgres.ts";
import { dashboardCaller, eventually, serve, type Test, tefo } from "./processes.ts";

/** Variables of a process. */
export type Environment = Readonly<Record<string, string>>;

/** A sandbox organisation with a gateway account, in a service that has started. */
export interface Merchant {
  /** The organisation's id. */
  readonly id: string;
  readonly apiKey: string;
  readonly gatewayId: string;
  /** POST to the dashboard's API, as the owner. */
  readonly staff: ReturnType<typeof dashboardCaller>;
}

const RETRY_MS = 40;

/** Starts the service again whenever it ends, as a supervisor would; what changes in `environment` counts from then on. */
export function keepRunning(t: Test, environment: Environment, port: number) {
  let stopping = false;
  let starts = 0;
  let current = serve(t, environment);
  const watch = () => {
    starts++;
    current.child.once("exit", () => {
      if (stopping) return;
      current = serve(t, environment);
      watch();
    });
  };
  watch();
  return {
    kill: () => void current.child.kill("SIGKILL"),
    /** Sends another signal, such as one that pauses it. */
    signal: (name: NodeJS.Signals) => void current.child.kill(name),
    output: () => `port ${port}:\n${current.output()}`,
    starts: () => starts,
    async stop() {
      stopping = true;
      const ended = new Promise((resolve) => current.child.once("exit", resolve));
      current.child.kill("SIGTERM");
      await Promise.race([ended, sleep(15_000).then(() => current.child.kill("SIGKILL"))]);
    },
  };
}

/** Whether `/health/ready` answers 200 within two minutes: PostgreSQL may have to replay its log on a busy machine. */
export async function ready(port: number): Promise<boolean> {
  const until = performance.now() + 120_000;
  while (performance.now() < until) {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null);
    if (response?.status === 200) return true;
    await sleep(50);
  }
  return false;
}

/** kill -9 of the embedded PostgreSQL of a data folder, when it runs. */
async function killPostgres(dataDir: string): Promise<void> {
  const pid = await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8").then(
    (text) => Number(text.split("\n")[0]),
    () => 0,
  );
  if (pid > 1) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended already and is not started again yet.
    }
  }
}

/** What `killOften` kills. */
export interface Killed {
  readonly port: number;
  readonly service: ReturnType<typeof keepRunning>;
  readonly dataDir: string;
  /** The organisation whose leases end after a kill. */
  readonly id: string;
}

/**
 * kill -9 at random moments: of three kills two hit the server, the third PostgreSQL. After every `together` kills the
 * service is started to the end and works until `answered` counts on, and for a while; the others may come while it is
 * starting. Ends when `enough` says so of the number of kills; the service is ready then.
 */
export async function killOften(
  killed: Killed,
  {
    together,
    pauseMs,
    enough,
    answered,
    aim = async () => {},
  }: {
    readonly together: number;
    readonly pauseMs: number;
    enough(kills: number): boolean;
    /** How much the load was answered so far: a slow machine would otherwise be killed before it has done anything, over and over. */
    answered(): number;
    /** Waits for the moment of a kill, after the random time. */
    aim?(kills: number): Promise<void>;
  },
): Promise<void> {
  const { port, service, dataDir, id } = killed;
  const recovered = async () => {
    assert.ok(await ready(port), service.output());
    // It may have answered before it noticed that PostgreSQL was killed.
    await eventually("leases are ended", () =>
      endLeases(dataDir, id).then(
        () => true,
        () => false,
      ),
    );
  };
  for (let kills = 0; !enough(kills); kills++) {
    if (kills % together === 0) {
      await recovered();
      const before = answered();
      await eventually("the load goes on", async () => answered() > before || enough(kills));
    }
    await sleep(Math.random() * pauseMs);
    await aim(kills);
    if (kills % 3 === 2) await killPostgres(dataDir);
    else service.kill();
  }
  await recovered();
}

/** A connection to the embedded PostgreSQL of a data folder that sees the rows of one organisation. */
export async function openDatabase(dataDir: string, organisation: string): Promise<Client> {
  const client = new Client({ connectionString: (await findEmbeddedPostgres(dataDir)) ?? "" });
  client.on("error", () => {});
  await client.connect();
  await client.query("select set_config('app.organisation_id', $1, false)", [organisation]);
  return client;
}

/** Ends the leases of work and of a move of the clock, for which the service would wait half a minute after each kill. */
async function endLeases(dataDir: string, organisation: string): Promise<void> {
  const client = await openDatabase(dataDir, organisation);
  await client.query(
    "update due_work set lease_token = null, lease_until = null; update organisations set clock_moving_until = null",
  );
  await client.end();
}

/**
 * Lets work that failed while PostgreSQL was down be done again at once: it waits for minutes, and no move of the clock
 * waits with it. Throws when work was given up.
 */
export async function endWaits({ dataDir, id }: Pick<Killed, "dataDir" | "id">): Promise<void> {
  const client = await openDatabase(dataDir, id);
  const given = await client
    .query("select kind, subject, attempts, last_error from due_work where parked_at is not null")
    .finally(() => client.end());
  assert.deepEqual(given.rows, [], "no work is given up because something crashed");
  await endLeases(dataDir, id);
}

/** Repeats a request after a failed connection, an incomplete answer and 5xx, which leave its outcome unknown. Null after `end`. */
export async function untilAnswered(ask: () => Promise<Response>, stopped: () => boolean): Promise<Response | null> {
  while (!stopped()) {
    try {
      const response = await ask();
      const whole = new Response(await response.text(), { status: response.status, headers: response.headers });
      if (whole.status < 500) return whole;
    } catch {
      // The service is down and will be started again.
    }
    await sleep(RETRY_MS);
  }
  return null;
}

/** Creates an organisation without limits, by the command line, and its gateway account. */
export async function openMerchant(environment: Environment, port: number, slug = "crash"): Promise<Merchant> {
  const named = ["--name", "Crash", "--slug", slug, "--plan", "enterprise", "--sandbox", "--json"];
  const created = await tefo(environment, "org", "create", ...named);
  const { apiKey, owner, organisation } = created.json<{
    apiKey: string;
    owner: object;
    organisation: { id: string };
  }>();
  await tefo(environment, "org", "update", slug, "--rate-limit", "10000000");
  const staff = dashboardCaller(`http://127.0.0.1:${port}`);
  await staff("/auth/sign-in/email", owner);
  const gateway = (await staff("/gateways", { type: "sandbox", name: "Sandbox", credentials: {} })) as { id: string };
  return { id: organisation.id, apiKey, gatewayId: gateway.id, staff };
}
