import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../src/app/listen.ts";
import {
  type Environment,
  type Killed,
  keepRunning,
  killOften,
  type Merchant,
  openDatabase,
  openMerchant,
  ready,
  untilAnswered,
} from "../support/crashes.ts";
import { eventually, tefo, temporaryFolder } from "../support/processes.ts";

const KILLS = 50;
const CLIENTS = 6;

/** What a merchant's system knows after its request was answered. */
interface Acknowledged {
  readonly key: string;
  readonly id: string;
  readonly url: string;
}

test(`${KILLS} times kill -9 of the server and of PostgreSQL under load: nothing lost, nothing doubled`, {
  timeout: 900_000,
}, async (t) => {
  const dataDir = await temporaryFolder(t);
  const port = await freePort("127.0.0.1");
  const quiet = { DEMO: "0", IP_RATE_LIMIT: "100000000", LOG_LEVEL: "error" };
  const environment: Environment = { DATA_DIR: dataDir, PORT: String(port), ...quiet };
  const service = keepRunning(t, environment, port);
  // Before the hooks that remove the processes: it would start them again.
  await using open = new AsyncDisposableStack();
  open.defer(service.stop);
  assert.ok(await ready(port), service.output());
  const merchant = await openMerchant(environment, port);
  const load = startLoad(port, merchant);
  open.defer(async () => load.end());
  const killed = { ...merchant, port, service, dataDir };
  await killOften(killed, {
    together: 5,
    pauseMs: 700,
    enough: (kills) => kills >= KILLS && load.enough(),
    answered: load.answered,
  });
  await sleep(1_000);
  const { links, payments, refused } = await load.stop();
  assert.deepEqual(refused, [], "no request is refused because something crashed");
  links.push(await loseAnswer(killed, merchant));
  await assertEachLinkOnce(port, merchant, links);
  await assertPaymentsSettled(port, merchant, payments);
  const verified = await tefo(environment, "verify", "--json");
  assert.equal(verified.code, 0, verified.out);
  t.diagnostic(`${links.length} links, ${payments.length} payments over ${service.starts()} starts`);
});

/** Kills the service after a link was committed, before its answer was read; the retry is answered with that link. */
async function loseAnswer({ port, service, dataDir }: Killed, merchant: Merchant): Promise<Acknowledged> {
  const key = randomUUID();
  const database = await openDatabase(dataDir, merchant.id);
  const unread = new AbortController();
  const lost = createLink(port, merchant, key, unread.signal).catch(() => null);
  let committed: string | undefined;
  try {
    await eventually("the link is committed", async () => {
      const found = await database.query<{ id: string }>("select id from payment_links where external_reference = $1", [
        key,
      ]);
      committed = found.rows[0]?.id;
      return committed !== undefined;
    });
  } finally {
    await database.end();
  }
  unread.abort();
  service.kill();
  await lost;
  const again = await untilAnswered(
    () => createLink(port, merchant, key),
    () => false,
  );
  assert.ok(again);
  const { id, url } = (await again.json()) as { id: string; url: string };
  assert.deepEqual([again.status, again.headers.get("idempotent-replayed"), id], [201, "true", committed]);
  return { key, id, url };
}

/** Clients that retry with the same Idempotency-Key until they are answered, and payers who pay some of their links. */
function startLoad(port: number, merchant: Merchant) {
  let finishing = false;
  let stopped = false;
  const links: Acknowledged[] = [];
  const payments: string[] = [];
  const refused: string[] = [];
  const client = async () => {
    while (!finishing) {
      const key = randomUUID();
      const response = await untilAnswered(
        () => createLink(port, merchant, key),
        () => stopped,
      );
      if (response === null) return;
      const body = (await response.json()) as { id: string; url: string };
      if (response.status !== 201) refused.push(`${response.status} ${JSON.stringify(body)}`);
      else {
        links.push({ key, id: body.id, url: body.url });
        const reference = links.length % 4 === 0 ? await pay(port, body.url, merchant).catch(() => null) : null;
        if (reference) payments.push(reference);
      }
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  return {
    /** Whether enough requests ran for kills to interrupt some, however slow the machine is. */
    enough: () => links.length > KILLS && payments.length > 0,
    answered: () => links.length,
    /** Stops all retries. Called when the test ends, even after a failure. */
    end: () => {
      stopped = true;
    },
    /** Waits for the answers to running requests; answers what was recorded. */
    async stop() {
      finishing = true;
      await Promise.all(clients);
      return { links, payments, refused };
    },
  };
}

const createLink = (
  port: number,
  { apiKey }: Merchant,
  key: string,
  signal = AbortSignal.timeout(20_000),
): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/api/v1/payment-links`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ title: "Crash", amount: 12.34, externalReference: key }),
    signal,
  });

/** Pays once through the hosted page and the sandbox gateway's page; gives up when either is down. Answers the reference. */
async function pay(port: number, url: string, { gatewayId }: Merchant): Promise<string | null> {
  const here = (text: string) => text.replace(/^https?:\/\/[^/]+/, `http://127.0.0.1:${port}`);
  const page = await fetch(here(url));
  const token = /name="formToken" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
  const started = await fetch(here(url), {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ gateway: gatewayId, formToken: token }),
  });
  const target = started.headers.get("location");
  if (started.status !== 303 || !target) return null;
  const paid = await fetch(here(target), {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams({ outcome: "complete", card: "4242424242424242" }),
  });
  return /(TEFO-\d{8}-[0-9A-F]{8})/.exec(paid.headers.get("location") ?? "")?.[1] ?? null;
}

const read = async (port: number, { apiKey }: Merchant, path: string): Promise<unknown> => {
  const response = await untilAnswered(
    () => fetch(`http://127.0.0.1:${port}/api/v1/${path}`, { headers: { authorization: `Bearer ${apiKey}` } }),
    () => false,
  );
  assert.equal(response?.status, 200, path);
  return response.json();
};

async function assertEachLinkOnce(port: number, merchant: Merchant, links: readonly Acknowledged[]): Promise<void> {
  for (const { key, id } of links) {
    const { data } = (await read(port, merchant, `payment-links?externalReference=${key}`)) as {
      data: { id: string }[];
    };
    assert.deepEqual(
      data.map((link) => link.id),
      [id],
      `key ${key}`,
    );
  }
}

/** Asserts that every payment that was paid at the gateway becomes complete, by notification or by query. */
async function assertPaymentsSettled(port: number, merchant: Merchant, references: readonly string[]): Promise<void> {
  const until = performance.now() + 300_000;
  for (const reference of references) {
    for (;;) {
      const transaction = (await read(port, merchant, `transactions/${reference}`)) as { status: string };
      if (transaction.status === "complete") break;
      assert.ok(performance.now() < until, `${reference} is ${transaction.status}`);
      await sleep(500);
    }
  }
}
