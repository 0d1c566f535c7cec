import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../src/app/listen.ts";
import { addDays, type BusinessDay, dayOfMonth, monthsSinceYearZero, startOfDay } from "../../src/kernel/time.ts";
import {
  endLeases,
  keepRunning,
  killPostgres,
  type Merchant,
  openDatabase,
  openMerchant,
  ready,
} from "../support/crashes.ts";
import { eventually, type Test, tefo, temporaryFolder } from "../support/processes.ts";

/*
 * Debits are gathered, submitted and settled over some weeks of the test clock, while the process and PostgreSQL are killed. Nobody is debited
 * twice, as the sandbox gateway's own records say, and nothing is lost.
 */

const KILLS = 50;
const MANDATES = 100;
/** The first day of the weeks. */
const FIRST = "2027-03-01" as BusinessDay;
/** When a day's work is done: batches are made and settled at 00:00, submitted at 06:00, results are read at 12:00. */
const HOURS = [0, 6, 12] as const;
const PATIENCE_MS = 240_000;
/** Days at the end, on which new debits are gathered too; those of the first half have settled after them. */
const SETTLED_DAYS = 14;
/** So many unpaid debits in a row pause a mandate. */
const UNPAID_MAX = 3;

interface MandateOfTest {
  readonly accountReference: string;
  readonly debitDay: number;
  readonly unpaid: boolean;
}

interface Stage extends Merchant {
  readonly dataDir: string;
  readonly port: number;
  readonly service: ReturnType<typeof keepRunning>;
}

test(`${KILLS} times kill -9 of the server and of PostgreSQL while debits are collected: nobody is debited twice, nothing is lost`, {
  timeout: 480_000,
}, async (t) => {
  const dataDir = await temporaryFolder(t);
  const port = await freePort("127.0.0.1");
  const quiet = { DEMO: "0", IP_RATE_LIMIT: "100000000", LOG_LEVEL: "error" };
  const environment = { DATA_DIR: dataDir, PORT: String(port), ...quiet };
  const service = keepRunning(t, environment, port);
  // Before the hooks that remove the processes: it would start them again.
  await using open = new AsyncDisposableStack();
  open.defer(service.stop);
  assert.ok(await ready(port), service.output());
  const stage: Stage = { ...(await openMerchant(environment, port)), dataDir, port, service };
  // A trial would end before the clock gets where it is moved to.
  await tefo(environment, "org", "update", "crash", "--status", "active");
  const mandates = await addMandates(stage);

  let finishing = false;
  open.defer(async () => {
    finishing = true;
  });
  let today = FIRST;
  const moves = moveOn(stage, (day) => {
    today = day;
    return finishing;
  });
  const hands = gatherByHand(
    stage,
    () => today,
    () => finishing,
  );
  const kills = killOften(stage, () => finishing).finally(() => {
    finishing = true;
  });
  const [{ reached, interrupted }] = await Promise.all([moves, hands, kills]);
  for (let days = 1; days <= SETTLED_DAYS; days++) await move(stage, addDays(reached, days), 12);
  for (const hour of HOURS)
    assert.ok(
      (interrupted.get(hour) ?? 0) > 0,
      `no kill hit the work of ${hour}:00, of others ${JSON.stringify([...interrupted])}`,
    );

  await assertCollected(t, stage, mandates, reached);
  const verified = await tefo(environment, "verify", "--json");
  assert.equal(verified.code, 0, verified.out);
  t.diagnostic(
    `until ${reached}, over ${service.starts()} starts; interrupted by hour: ${JSON.stringify([...interrupted])}`,
  );
});

const post = async (path: string, { port, apiKey }: Stage, body: object): Promise<Record<string, unknown>> => {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.equal(response.status, 201, text);
  return JSON.parse(text);
};

/** Mandates that are due on every day from the 3rd to the 14th; each fifth comes back unpaid. The clock stands at `FIRST` then. */
async function addMandates(stage: Stage): Promise<MandateOfTest[]> {
  await move(stage, FIRST, 0);
  const { id: customerId } = await post("/customers", stage, { email: "thandi@example.co.za" });
  const waiting = Array.from({ length: MANDATES }, (_, n) => ({ debitDay: 3 + (n % 12), unpaid: n % 5 === 4 }));
  const mandates: MandateOfTest[] = [];
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const accountNumber = `62900417${next.unpaid ? "702" : "701"}`;
        const { accountReference } = await post("/mandates", stage, {
          customerId,
          bank: { branchCode: "250655", accountNumber, accountHolder: "T Nkosi" },
          amount: 350.5,
          debitDay: next.debitDay,
          authority: "offline",
          confirmOfflineMandate: true,
        });
        mandates.push({ accountReference: String(accountReference), ...next });
      }
    }),
  );
  return mandates;
}

/** Moves the clock to an hour of a day; repeated until it is answered. Returns how often it was broken off. */
async function move({ staff }: Stage, day: BusinessDay, hour: number): Promise<number> {
  const now = new Date(startOfDay(day).getTime() + hour * 3_600_000).toISOString();
  const until = performance.now() + PATIENCE_MS;
  for (let broken = 0; ; ) {
    try {
      await staff("/test-clock", { now });
      return broken;
    } catch (error) {
      // Refused while the move of the killed process has its lease.
      if (!String(error).includes(" 409 ")) broken++;
      if (performance.now() > until) throw error;
    }
    await sleep(40);
  }
}

/** Moves the clock from one piece of the day's work to the next, until the end of the day on which it is told to finish. */
async function moveOn(
  stage: Stage,
  finished: (day: BusinessDay) => boolean,
): Promise<{ reached: BusinessDay; interrupted: Map<number, number> }> {
  const interrupted = new Map<number, number>();
  for (let day = FIRST; ; day = addDays(day, 1)) {
    for (const hour of HOURS) {
      const broken = await move(stage, day, hour);
      if (broken > 0) interrupted.set(hour, (interrupted.get(hour) ?? 0) + 1);
    }
    if (finished(day)) return { reached: day, interrupted };
  }
}

/** Staff make and submit batches of the next days by hand beside the daily work; what is refused or broken off is not asked again. */
async function gatherByHand({ staff }: Stage, today: () => BusinessDay, finished: () => boolean): Promise<void> {
  while (!finished()) {
    await sleep(500);
    try {
      const { id } = (await staff("/debit-batches", { actionDate: addDays(today(), 4) })) as { id: string };
      await staff(`/debit-batches/${id}/submit`, {});
    } catch {
      // Nothing is due, or the service is down and will be started again.
    }
  }
}

/** Most kills come at a random moment of the work; every fifth while the service may still be starting. */
async function killOften({ id, port, service, dataDir }: Stage, finished: () => boolean): Promise<void> {
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
  for (let kill = 0; kill < KILLS && !finished(); kill++) {
    if (kill % 5 !== 4) await recovered();
    await sleep(Math.random() * 700);
    if (kill % 3 === 2) await killPostgres(dataDir);
    else service.kill();
  }
  await recovered();
}

interface Collected {
  readonly reference: string;
  readonly status: string;
  readonly cents: string;
  readonly times: number;
  readonly told: number;
  readonly entries: number;
}

/** Every debit day until `reached` was debited once, as the gateway and the books say, and everything that was sent has ended as it should. */
async function assertCollected(
  t: Test,
  { id, dataDir }: Stage,
  mandates: readonly MandateOfTest[],
  reached: BusinessDay,
): Promise<void> {
  const client = await openDatabase(dataDir, id);
  t.after(() => client.end());
  const read = async (sql: string) => (await client.query<Collected>(sql)).rows;
  // What staff asked for during a move of the clock is done by a worker, beside it.
  await eventually("every batch is sent", async () => {
    const waiting = await client.query("select from debit_batches where status in ('open', 'submitting')");
    return waiting.rows.length === 0;
  });
  const gateway = await read(
    "select reference, min(status) as status, sum(amount_cents)::text as cents, count(*)::int as times from sandbox_payments where kind = 'debit' group by reference order by reference",
  );
  const ours = await read(
    `select t.reference, t.status, t.amount_cents::text as cents, (select count(*)::int from debits d where d.transaction_id = t.id) as times,
       (select count(*)::int from events e where e.subject = t.reference) as told,
       (select count(*)::int from journal_entries j where j.subject = t.reference) as entries
       from transactions t where t.type = 'debit_order' order by t.reference`,
  );
  const of = ({ reference, status, cents, times }: Collected) => ({ reference, status, cents, times });
  assert.deepEqual(ours.map(of), gateway.map(of), "the gateway has exactly what was gathered");
  const due = new Set(mandates.flatMap((mandate) => debitsUntil(mandate, reached)));
  const references = new Set(gateway.map(({ reference }) => reference));
  assert.deepEqual([...due.difference(references)], [], "each debit day was debited");
  const unpaid = new Set(mandates.filter((one) => one.unpaid).map(({ accountReference }) => accountReference));
  const settled = addDays(reached, SETTLED_DAYS / 2).replaceAll("-", "");
  for (const { reference, status, cents, times, told, entries } of ours) {
    if (reference.slice(-8) > settled) continue;
    const expected = unpaid.has(reference.slice(0, -9)) ? ["failed", 0] : ["complete", 1];
    assert.deepEqual([status, entries, told, times, cents], [...expected, 1, 1, "35050"], reference);
  }
}

/** The references of a mandate's debits from `FIRST` to a day, or until it is paused. */
function debitsUntil({ accountReference, debitDay, unpaid }: MandateOfTest, until: BusinessDay): string[] {
  const found: string[] = [];
  for (let month = monthsSinceYearZero(FIRST); month <= monthsSinceYearZero(until); month++) {
    const day = dayOfMonth(month, debitDay);
    if (day <= until) found.push(`${accountReference}-${day.replaceAll("-", "")}`);
  }
  return unpaid ? found.slice(0, UNPAID_MAX) : found;
}
