import assert from "node:assert/strict";
import { test } from "node:test";
import { freePort } from "../../src/app/listen.ts";
import { addDays, type BusinessDay, startOfDay } from "../../src/kernel/time.ts";
import { keepRunning, killOften, openDatabase, openMerchant, ready, untilAnswered } from "../support/crashes.ts";
import { tefo, temporaryFolder } from "../support/processes.ts";
import { seededNumbers } from "../support/property.ts";

/*
 * Customer subscriptions walk at random over the table of transitions (interface 3.11) for three years of the test clock, while the process and PostgreSQL are
 * killed. Each period is billed once, and the books hold.
 */

const KILLS = 6;
const SUBSCRIPTIONS = 12;
const FIRST = "2027-01-31" as BusinessDay;
const YEARS_DAYS = 3 * 365;
const STEP_DAYS = 30;

type Json = Readonly<Record<string, unknown>>;

test(`${KILLS} times kill -9 while subscriptions are billed, paused, resumed, cancelled and moved: every period is billed once`, {
  timeout: 240_000,
}, async (t) => {
  const dataDir = await temporaryFolder(t);
  const port = await freePort("127.0.0.1");
  const quiet = { DEMO: "0", IP_RATE_LIMIT: "100000000", LOG_LEVEL: "error" };
  const environment = { DATA_DIR: dataDir, PORT: String(port), ...quiet };
  const service = keepRunning(t, environment, port);
  await using open = new AsyncDisposableStack();
  open.defer(service.stop);
  assert.ok(await ready(port), service.output());
  const merchant = await openMerchant(environment, port);
  await tefo(environment, "org", "update", "crash", "--status", "active");
  const refused: string[] = [];
  let stopped = false;
  open.defer(async () => {
    stopped = true;
  });
  const call = async (method: string, path: string, body: Json | null, allowed: readonly number[]): Promise<Json> => {
    const response = await untilAnswered(
      () =>
        fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${merchant.apiKey}`, "content-type": "application/json" },
          ...(body ? { body: JSON.stringify(body) } : {}),
          signal: AbortSignal.timeout(20_000),
        }),
      () => stopped,
    );
    const answer = ((await response?.json()) ?? {}) as Json;
    if (response && response.status >= 400 && !allowed.includes(response.status))
      refused.push(`${path} ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const moveTo = async (day: BusinessDay) => {
    const now = startOfDay(day).toISOString();
    while (!stopped) {
      const moved = await merchant.staff("/test-clock", { now }).then(
        () => true,
        () => false,
      );
      if (moved) return;
      await ready(port);
    }
  };
  await moveTo(FIRST);
  const customer = (await call("POST", "/customers", { email: "walk@example.com" }, []))["id"];
  const parent = (await call("POST", "/packages", { name: "Walks" }, []))["id"];
  const plan = { name: "Gold", amount: 100, frequency: "monthly" };
  const planId = (await call("POST", `/packages/${parent}/plans`, plan, []))["id"];
  const ids: string[] = [];
  for (let n = 0; n < SUBSCRIPTIONS; n++) {
    const terms = [{}, { trialDays: 20 }, { billingAnchorDay: 15 }, { startDate: "2027-02-20" }][n % 4];
    const asked = {
      customer: { id: customer },
      planId,
      collectionMethod: "invoice",
      externalReference: `W${n}`,
      ...terms,
    };
    ids.push(String((await call("POST", "/customer-subscriptions", asked, []))["id"]));
  }
  let days = 0;
  let actions = 0;
  const random = seededNumbers();
  const walk = async () => {
    while (days < YEARS_DAYS && !stopped) {
      days += 1 + Math.floor(random() * STEP_DAYS * 2);
      const today = addDays(FIRST, days);
      await moveTo(today);
      await Promise.all(
        ids.map(async (id) => {
          const later = addDays(today, 1 + Math.floor(random() * 40));
          const [method, action, body] = [
            ["POST", "/pause", null],
            ["POST", "/resume", null],
            ["POST", "/resume", null],
            ["POST", "/cancel", { when: "period_end" }],
            ["POST", "/cancel", { when: "now" }],
            ["POST", "/reactivate", null],
            ["POST", "/reactivate", null],
            ["PATCH", "", { nextBillingAt: later }],
            ["PATCH", "", { billingAnchorDay: 1 + Math.floor(random() * 31) }],
          ][Math.floor(random() * 9)] as [string, string, Json | null];
          await call(method, `/customer-subscriptions/${id}${action}`, body, [400, 409]);
          actions++;
        }),
      );
    }
  };
  const walking = walk();
  let done = false;
  void walking.finally(() => {
    done = true;
  });
  await killOften(
    { port, service, dataDir, id: merchant.id },
    { together: 2, pauseMs: 2500, enough: (n) => n >= KILLS || done },
  );
  await walking;
  assert.deepEqual(refused, [], "nothing is refused because something crashed");
  const database = await openDatabase(dataDir, merchant.id);
  try {
    const { rows } = await database.query<{ periods: number; twice: number }>(
      `select count(*)::int as periods, count(*) filter (where exists (select from customer_subscription_bills o
          where o.customer_subscription_id = b.customer_subscription_id and o.id <> b.id and o.kind <> 'proration' and o.cycle = b.cycle))::int as twice
         from customer_subscription_bills b where kind <> 'proration'`,
    );
    assert.equal(rows[0]?.twice, 0);
    assert.ok((rows[0]?.periods ?? 0) > SUBSCRIPTIONS * 3, `${rows[0]?.periods} periods`);
    t.diagnostic(`${actions} actions, ${rows[0]?.periods} periods, ${service.starts()} starts`);
  } finally {
    await database.end();
  }
  const verified = await tefo(environment, "verify", "--json");
  assert.equal(verified.code, 0, verified.out);
});
