import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../src/app/listen.ts";
import {
  endWaits,
  keepRunning,
  killOften,
  type Merchant,
  openDatabase,
  openMerchant,
  ready,
  untilAnswered,
} from "../support/crashes.ts";
import { tefo, temporaryFolder } from "../support/processes.ts";

const KILLS = 8;
const CLIENTS = 4;
const CHARGES_OF_A_CUSTOMER = 3;
/** The service takes 60 a minute, and counts those whose answer a kill prevents. */
const CHARGES_A_MINUTE = 40;

type Json = Readonly<Record<string, unknown>>;

test(`${KILLS} times kill -9 of the server and of PostgreSQL while cards are set up and charged: nobody charged twice, nothing lost`, {
  timeout: 900_000,
}, async (t) => {
  const dataDir = await temporaryFolder(t);
  const port = await freePort("127.0.0.1");
  const environment = {
    DATA_DIR: dataDir,
    PORT: String(port),
    DEMO: "0",
    IP_RATE_LIMIT: "100000000",
    LOG_LEVEL: "error",
  };
  const service = keepRunning(t, environment, port);
  await using open = new AsyncDisposableStack();
  open.defer(service.stop);
  assert.ok(await ready(port), service.output());
  const merchant = await openMerchant(environment, port);
  const { key } = (await merchant.staff("/api-keys", { name: "Charges", permissions: ["charge_saved_cards"] })) as {
    key: string;
  };
  const load = startLoad(port, { ...merchant, apiKey: key });
  open.defer(async () => load.end());
  const killed = { ...merchant, port, service, dataDir };
  await killOften(killed, {
    together: 2,
    pauseMs: 800,
    enough: (kills) => kills >= KILLS && load.enough(),
    answered: load.answered,
  });
  const { setups, charges, refused } = await load.stop();
  assert.deepEqual(refused, [], "nothing is refused because something crashed");
  await endWaits(killed);
  // By then all that is pending has been asked about, and the banks have settled.
  await merchant.staff("/test-clock", { now: new Date(Date.now() + 8 * 86_400_000).toISOString() });
  const database = await openDatabase(dataDir, merchant.id);
  try {
    await assertOnce(async (query) => (await database.query<Json>(query)).rows, setups, charges);
  } finally {
    await database.end();
  }
  const verified = await tefo(environment, "verify", "--json");
  assert.equal(verified.code, 0, verified.out);
  t.diagnostic(`${setups.length} set-ups, ${charges.length} charges over ${service.starts()} starts`);
});

/** Clients that each set up a card for a customer of their own and charge it, and repeat what they ask until it is answered. */
function startLoad(port: number, merchant: Merchant) {
  let finishing = false;
  let stopped = false;
  const setups: string[] = [];
  const charges: string[] = [];
  const refused: string[] = [];
  let requests = 0;
  /** When charges were answered, in the last minute. */
  let answered: number[] = [];
  /** Waits until another charge is no more than the service takes; false once the load ends. */
  const mayCharge = async (): Promise<boolean> => {
    while (!finishing && !stopped) {
      const since = performance.now() - 60_000;
      answered = answered.filter((at) => at > since);
      if (answered.length < CHARGES_A_MINUTE) return true;
      await sleep(50);
    }
    return false;
  };
  /** A charge has no idempotency key: a repeat with its externalReference is answered with the first charge. */
  const call = async (method: "GET" | "POST", path: string, body: Json | null = null): Promise<Json> => {
    const isCharge = path.endsWith("/charges");
    const key = isCharge ? {} : { "idempotency-key": randomUUID() };
    const response = await untilAnswered(
      async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${merchant.apiKey}`, "content-type": "application/json", ...key },
          ...(body ? { body: JSON.stringify(body) } : {}),
          signal: AbortSignal.timeout(20_000),
        });
        if (isCharge) answered.push(performance.now());
        return answer;
      },
      () => stopped,
    );
    const answer = ((await response?.json()) ?? {}) as Json;
    requests++;
    const known = answer["charge"] as Json | undefined;
    if (known) return known;
    if (response && response.status >= 400) refused.push(`${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const client = async () => {
    while (!finishing && !stopped) {
      const customer = (await call("POST", "/customers", { email: `${randomUUID()}@example.com` }))["id"];
      const setup = await call("POST", `/customers/${customer}/cards/setup`, {});
      let session = setup;
      while (session["status"] !== "completed" && !stopped) {
        await payOnPage(port, String(setup["url"]), merchant.gatewayId).catch(() => {});
        session = await call("GET", `/customers/${customer}/cards/setup/${setup["id"]}`);
      }
      if (session["status"] === "completed") setups.push(String(setup["id"]));
      for (let n = 0; n < CHARGES_OF_A_CUSTOMER && (await mayCharge()); n++) {
        const externalReference = randomUUID();
        const body = { amount: 12.34, description: "Crash", externalReference };
        const { object } = await call("POST", `/customers/${customer}/cards/default/charges`, body);
        if (object === "card_charge") charges.push(externalReference);
      }
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  return {
    /** Whether enough requests ran for kills to interrupt some, however slow the machine is. */
    enough: () => setups.length > 2 && charges.length > 2,
    answered: () => requests,
    end: () => {
      stopped = true;
    },
    async stop() {
      finishing = true;
      await Promise.all(clients);
      return { setups, charges, refused };
    },
  };
}

/** Pays once on a set-up's page and on the gateway's; gives up when either is down. */
async function payOnPage(port: number, url: string, gateway: string): Promise<void> {
  const here = (address: string) => address.replace(/^https?:\/\/[^/]+/, `http://127.0.0.1:${port}`);
  const post = (address: string, fields: Record<string, string>) =>
    fetch(here(address), { method: "POST", redirect: "manual", body: new URLSearchParams(fields) });
  const formToken = /name="formToken" value="([^"]+)"/.exec(await (await fetch(here(url))).text())?.[1] ?? "";
  const target = (await post(url, { gateway, formToken })).headers.get("location");
  if (target) await post(target, { outcome: "complete", card: "4242424242424242", saveCard: "on" });
}

/** Reads the database itself, where the gateway's own records are too. */
async function assertOnce(
  rows: (query: string) => Promise<Json[]>,
  setups: readonly string[],
  charges: readonly string[],
): Promise<void> {
  const charged = await rows(
    `select c.external_reference as reference, t.status, count(*)::int as charges, count(s.id)::int as at_gateway
       from card_charges c join transactions t on t.id = c.transaction_id
       left join sandbox_payments s on s.reference = t.reference and s.kind = 'charge'
      group by 1, 2 order by 1`,
  );
  assert.deepEqual(
    charged,
    charges.toSorted().map((reference) => ({ reference, status: "complete", charges: 1, at_gateway: 1 })),
    "each charge that was answered was made once, here and at the gateway, and no other",
  );
  const cards = await rows("select customer_id from cards group by customer_id having count(*) > 1");
  assert.deepEqual(cards, []);
  const completed = await rows("select id from card_setups where status = 'completed' order by id");
  assert.deepEqual(
    completed.map(({ id }) => id),
    setups.toSorted(),
  );
  const credits = await rows(
    `select t.reference, t.status, count(n.id)::int as credits, count(*) filter (where s.status = 'complete')::int as at_gateway
       from transactions t left join credit_notes n on n.transaction_reference = t.reference
       left join sandbox_payments s on s.reference = t.reference
      where t.type = 'card_setup' group by 1, 2 having count(n.id) <> count(*) filter (where s.status = 'complete')
         or (t.status = 'complete') <> (count(n.id) = 1)`,
  );
  assert.deepEqual(credits, [], "each 1.00 that the gateway took is complete and credited once");
}
