import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { freePort } from "../../src/app/listen.ts";
import { addDays, type CalendarDay, startOfDay } from "../../src/kernel/time.ts";
import { generateMasterKey } from "../../src/platform/secrets.ts";
import { type Environment, openMerchant, ready, untilAnswered } from "../support/crashes.ts";
import { cloneDatabase } from "../support/database.ts";
import { type Running, serve, tefo, temporaryFolder } from "../support/processes.ts";
import { seededNumbers } from "../support/property.ts";

/*
 * Customer subscriptions of each collection method walk over the table of transitions (interface 3.11) for three years
 * of the test clock. They are billed and charged by two processes on one database, which are killed together again and
 * again. Actions are chosen by a seed; the times of kills are not, and no assertion depends on them.
 */

const FIRST = "2027-01-31" as CalendarDay;
const STEPS = 12;
const LONGEST_STEP_DAYS = 165;
/** Both processes are killed in every third step. */
const KILLED_EACH = 3;
const LATEST_KILL_MS = 500;

const VISA = "4242424242424242";
/** Their later charges are declined, or tell that the card will never pay. */
const DECLINED = "4000000000000341";
const TOKEN_ERROR = "4000000000009979";

type Json = Readonly<Record<string, unknown>>;

interface Walker {
  readonly id: string;
  readonly method: string;
  /** What it is paid with on its page. */
  readonly card: string;
}

/** How the subscriptions are created; those with `paid` pay their first charge before the walk begins. */
const WALKERS: readonly {
  readonly method: string;
  readonly card?: string;
  readonly paid?: true;
  /** The bank account that its mandate debits. */
  readonly account?: string;
  readonly terms?: Json;
}[] = [
  { method: "invoice" },
  { method: "invoice", terms: { trialDays: 20 } },
  { method: "manual" },
  { method: "manual", terms: { billingAnchorDay: 15 } },
  { method: "gateway", card: VISA, paid: true },
  { method: "gateway", card: DECLINED, paid: true },
  { method: "gateway", card: TOKEN_ERROR, paid: true },
  { method: "gateway", card: VISA, terms: { startDate: "2027-02-20" } },
  { method: "gateway", card: VISA, terms: { trialDays: 10 } },
  { method: "debit_order", account: "62900417701" },
  { method: "debit_order", account: "62900417702" },
  { method: "external", terms: { paidThrough: "2027-02-28" } },
  { method: "external", terms: { paidThrough: "2027-03-15" } },
];

/** Two processes of the service that run until they are killed. */
function openPair(t: TestContext, environments: readonly Environment[], database: Client) {
  const ports = environments.map((environment) => Number(environment["PORT"]));
  let running: readonly Running[] = [];
  let turn = 0;
  const start = async () => {
    running = environments.map((environment) => serve(t, environment));
    for (const [place, port] of ports.entries()) assert.ok(await ready(port), running[place]?.output() ?? "");
  };
  return {
    start,
    ports,
    /** One of both, in turn. */
    next: () => ports[turn++ % ports.length] ?? 0,
    /** kill -9 of the one and, a moment later, the other; starts both again. */
    async crash(pausesMs: readonly number[]) {
      for (const [place, { child }] of running.entries()) {
        await sleep(pausesMs[place]);
        child.kill("SIGKILL");
      }
      await Promise.all(running.map(({ ended }) => ended()));
      // The service would wait for them for half a minute.
      await database.query("update due_work set lease_token = null, lease_until = null");
      await database.query("update organisations set clock_moving_until = null");
      await start();
    },
  };
}
type Pair = ReturnType<typeof openPair>;

/** Calls that are repeated, at either process, until they are answered. */
function openClient(pair: Pair, { apiKey, gatewayId }: { readonly apiKey: string; readonly gatewayId: string }) {
  const refused: string[] = [];
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const answer = await untilAnswered(
      () =>
        fetch(`http://127.0.0.1:${pair.next()}${path}`, {
          ...init,
          redirect: "manual",
          signal: AbortSignal.timeout(30_000),
        }),
      () => false,
    );
    assert(answer);
    return answer;
  };
  const call = async (
    method: string,
    path: string,
    body: Json | null = null,
    allowed: readonly number[] = [],
  ): Promise<Json> => {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      ...(path.endsWith("/payments") ? { "idempotency-key": randomUUID() } : {}),
    };
    const response = await send(`/api/v1${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const answer = (await response.json()) as Json;
    if (response.status >= 400 && !allowed.includes(response.status))
      refused.push(`${method} ${path} ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const pathOf = (url: string) => new URL(url).pathname + new URL(url).search;
  const post = (path: string, fields: Readonly<Record<string, string>>) =>
    send(path, { method: "POST", body: new URLSearchParams(fields) });
  return {
    call,
    refused,
    /** Pays what is due on the hosted page, unless it takes no payment now. */
    async payOnPage(url: string, card: string) {
      const page = await (await send(pathOf(url), {})).text();
      const formToken = /name="formToken" value="([^"]+)"/.exec(page)?.[1];
      if (formToken === undefined) return;
      const location = (await post(pathOf(url), { gateway: gatewayId, formToken })).headers.get("location");
      if (location?.includes("/sandbox-gateway/"))
        await post(pathOf(location), { outcome: "complete", card, saveCard: "on" });
    },
  };
}
type Caller = ReturnType<typeof openClient>;

/** Pays what a subscription owes: on its page, or by a payment that is recorded. */
async function pay({ call, payOnPage }: Caller, { id, method, card }: Walker): Promise<void> {
  const { payment, lastInvoice } = (await call("GET", `/customer-subscriptions/${id}`)) as {
    payment?: { due: boolean; url: string | null };
    lastInvoice?: { id: string; status: string; amountDue: number } | null;
  };
  if (method === "gateway" || method === "debit_order") {
    if (payment?.due && payment.url) await payOnPage(payment.url, card);
  } else if (lastInvoice && lastInvoice.amountDue > 0 && lastInvoice.status !== "cancelled")
    await call("POST", `/invoices/${lastInvoice.id}/payments`, { amount: lastInvoice.amountDue, method: "eft" }, [400]);
}

/** The next period of a subscription that another platform bills. */
async function report({ call }: Caller, { id }: Walker): Promise<void> {
  const { currentPeriodEnd } = await call("GET", `/customer-subscriptions/${id}`);
  const currentPeriodStart = String(currentPeriodEnd).slice(0, 10) as CalendarDay;
  const period = { currentPeriodStart, currentPeriodEnd: addDays(currentPeriodStart, 30) };
  await call("POST", `/customer-subscriptions/${id}/sync-period`, { ...period, status: "past_due" }, [409]);
}

/** What a walker does in a step. Returns what is to be sent, so that the same is drawn whatever is answered. */
function stepOf(walker: Walker, today: CalendarDay, draw: () => number): (caller: Caller) => Promise<unknown> {
  const path = `/customer-subscriptions/${walker.id}`;
  const later = addDays(today, 1 + Math.floor(draw() * 40));
  const day = 1 + Math.floor(draw() * 31);
  const quantity = 1 + Math.floor(draw() * 3);
  const send =
    (method: string, to: string, body: Json | null = null) =>
    (caller: Caller) =>
      caller.call(method, path + to, body, [400, 409]);
  const common = [
    send("POST", "/cancel", { when: "period_end", sendEmail: false }),
    send("POST", "/cancel", { when: "now", sendEmail: false }),
    send("POST", "/reactivate"),
    send("POST", "/reactivate"),
    send("POST", "/change-plan", { quantity, proration: "now" }),
  ];
  const own =
    walker.method === "external"
      ? [(caller: Caller) => report(caller, walker), (caller: Caller) => report(caller, walker)]
      : [
          send("POST", "/pause"),
          send("POST", "/resume"),
          send("POST", "/resume"),
          send("POST", "/retry"),
          send("PATCH", "", { nextBillingAt: later }),
          send("PATCH", "", { billingAnchorDay: day }),
          (caller: Caller) => pay(caller, walker),
          (caller: Caller) => pay(caller, walker),
        ];
  const all = [...common, ...own];
  const chosen = all[Math.floor(draw() * all.length)];
  assert(chosen);
  return chosen;
}

/** What must hold of what was stored, whatever was killed when. */
async function assertOnce(database: Client): Promise<string> {
  const count = async (from: string) =>
    (await database.query<{ count: number }>(`select count(*)::int as count from ${from}`)).rows[0]?.count ?? 0;
  const periods = await count("customer_subscription_bills where kind <> 'proration'");
  assert.ok(periods >= WALKERS.length, `${periods} periods`);
  const twice = `customer_subscription_bills b where kind <> 'proration' and exists (select from customer_subscription_bills o
    where o.customer_subscription_id = b.customer_subscription_id and o.id <> b.id and o.kind <> 'proration' and o.cycle = b.cycle)`;
  assert.equal(await count(twice), 0, "each period is billed once");
  const charges = `transactions t join lateral (select count(*) as made, count(*) filter (where p.status = t.status) as same
    from sandbox_payments p where p.reference = t.reference) p on true where t.type in ('card_debit', 'debit_order')`;
  assert.equal(
    await count(`${charges} and (p.made > 1 or t.status <> 'cancelled' and p.same <> 1)`),
    0,
    "each charge is made once",
  );
  assert.equal(
    await count(
      "sandbox_payments p where kind = 'charge' and not exists (select from transactions t where t.reference = p.reference)",
    ),
    0,
    "nothing is charged that is not known",
  );
  assert.equal(await count("transactions where overpaid_cents > 0"), 0, "no invoice is collected twice");
  for (const status of ["complete", "failed"])
    assert.ok((await count(`collection_attempts where status = '${status}'`)) > 0, `a charge is ${status}`);
  return `${periods} periods, ${await count("transactions where type = 'card_debit'")} charges`;
}

test("kill -9 of two processes while subscriptions of each method walk for three years: each period is billed once, each charge made once", {
  timeout: 900_000,
}, async (t) => {
  const shared = {
    DATABASE_URL: (await cloneDatabase()).url,
    SECRET_KEY: generateMasterKey(),
    DATA_DIR: await temporaryFolder(t),
    DEMO: "0",
    IP_RATE_LIMIT: "100000000",
    LOG_LEVEL: "error",
  };
  const database = new Client({ connectionString: shared.DATABASE_URL });
  await database.connect();
  t.after(() => database.end());
  const environments: Environment[] = [];
  for (let n = 0; n < 2; n++) environments.push({ ...shared, PORT: String(await freePort("127.0.0.1")) });
  const pair = openPair(t, environments, database);
  await pair.start();
  const merchant = await openMerchant(shared, pair.ports[0] ?? 0);
  await tefo(shared, "org", "update", "crash", "--status", "active");
  const caller = openClient(pair, merchant);
  const { call } = caller;
  const moveTo = async (day: CalendarDay) => {
    const now = startOfDay(day).toISOString();
    while (
      !(await merchant.staff("/test-clock", { now }).then(
        () => true,
        () => false,
      ))
    )
      await ready(pair.ports[0] ?? 0);
  };

  await moveTo(FIRST);
  const parent = (await call("POST", "/packages", { name: "Walks" }))["id"];
  const planId = (await call("POST", `/packages/${parent}/plans`, { name: "Gold", amount: 100, frequency: "monthly" }))[
    "id"
  ];
  const walkers: Walker[] = [];
  for (const [n, { method, card = VISA, paid, account, terms }] of WALKERS.entries()) {
    const customer = { id: (await call("POST", "/customers", { email: `walk${n}@example.com` }))["id"] };
    const asked = { customer, planId, collectionMethod: method, externalReference: `W${n}`, ...terms };
    const walker = { id: String((await call("POST", "/customer-subscriptions", asked))["id"]), method, card };
    walkers.push(walker);
    if (paid) await pay(caller, walker);
    if (account !== undefined)
      await call("POST", "/mandates", {
        customerId: customer.id,
        bank: { branchCode: "250655", accountNumber: account, accountHolder: "T Nkosi" },
        amount: 100,
        debitDay: 3 + n,
        subscriptionId: walker.id,
        authority: "offline",
        confirmOfflineMandate: true,
      });
  }

  const draw = seededNumbers();
  let today = FIRST;
  for (let step = 0; step < STEPS; step++) {
    today = addDays(today, 1 + Math.floor(draw() * LONGEST_STEP_DAYS));
    const asked = walkers.map((walker) => stepOf(walker, today, draw));
    const walk = async () => {
      await moveTo(today);
      await Promise.all(asked.map((ask) => ask(caller)));
    };
    const kills = [Math.random() * LATEST_KILL_MS, Math.random() * (LATEST_KILL_MS / 4)];
    await Promise.all([walk(), step % KILLED_EACH === KILLED_EACH - 1 ? pair.crash(kills) : null]);
  }
  // By then each card has been charged again, and the banks have settled.
  for (const [place, { id }] of walkers.entries()) {
    if (!WALKERS[place]?.paid) continue;
    for (const action of ["resume", "reactivate"])
      await call("POST", `/customer-subscriptions/${id}/${action}`, null, [409]);
  }
  await moveTo(addDays(today, 45));
  await moveTo(addDays(today, 60));

  assert.deepEqual(caller.refused, [], "nothing is refused because something crashed");
  t.diagnostic(`until ${today}: ${await assertOnce(database)}`);
  const verified = await tefo(shared, "verify", "--json");
  assert.equal(verified.code, 0, verified.out);
});
