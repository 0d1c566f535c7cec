import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../src/app/listen.ts";
import { addDays, type CalendarDay, dayOfMonth, monthsSinceYearZero, startOfDay } from "../../src/kernel/time.ts";
import { keepRunning, killOften, type Merchant, openDatabase, openMerchant, ready } from "../support/crashes.ts";
import { eventually, type Test, tefo, temporaryFolder } from "../support/processes.ts";

/*
 * Debits are gathered, submitted and settled over some weeks of the test clock, while the process and PostgreSQL are
 * killed. Nobody is debited twice, as the sandbox gateway's own records say, and nothing is lost.
 */

const KILLS = 50;
/** So many at most, until the work of each hour was hit. */
const KILLS_MOST = 100;
const MANDATES = 100;
/** The first day of the weeks. */
const FIRST = "2027-03-01" as CalendarDay;
/** When a day's work is done: batches are made and settled at 00:00, submitted at 06:00, results are read at 12:00. */
const HOURS = [0, 6, 12] as const;
/** A move is broken off again and again while there are kills, of which a slow machine has fewer a minute. */
const PATIENCE_MS = 720_000;
/** Staff gather by hand what is due in so many days. */
const GATHERED_DAYS = 4;
/** After so many days everything has settled that was gathered until then, also by hand. */
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
  timeout: 900_000,
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
  const walk: Walk = { asked: null, moves: 0, interrupted: new Map() };
  const { interrupted } = walk;
  const moves = moveOn(stage, walk, (day) => {
    today = day;
    return finishing;
  });
  const hands = gatherByHand(
    stage,
    () => today,
    () => finishing,
  );
  let killed = 0;
  const kills = killOften(stage, {
    together: 2,
    pauseMs: 500,
    enough(count) {
      killed = count;
      const met = HOURS.every((hour) => interrupted.has(hour));
      return finishing || (count >= KILLS && met) || count === KILLS_MOST;
    },
    answered: () => walk.moves,
    async aim(count) {
      // The last kills interrupt the work of each hour, whatever the earlier ones interrupted.
      const hour = HOURS[Math.floor(count / 3) % HOURS.length];
      while (count >= KILLS - 3 * HOURS.length && walk.asked !== hour && !finishing) await setImmediate();
    },
  }).finally(() => {
    finishing = true;
  });
  const [reached] = await Promise.all([moves, hands, kills]);
  await allSent(stage);
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
    `until ${reached}, ${killed} kills over ${service.starts()} starts; interrupted by hour: ${JSON.stringify([...interrupted])}`,
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

/** Mandates that are due on every day from the 3rd to the 14th; each fifth is returned unpaid. The clock stands at `FIRST` then. */
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
async function move({ staff }: Stage, day: CalendarDay, hour: number, walk?: Walk): Promise<number> {
  const now = new Date(startOfDay(day).getTime() + hour * 3_600_000).toISOString();
  const until = performance.now() + PATIENCE_MS;
  for (let broken = 0; ; ) {
    try {
      const moved = staff("/test-clock", { now });
      if (walk) walk.asked = hour;
      await moved;
      return broken;
    } catch (error) {
      // Refused while the move of the killed process has its lease.
      if (!String(error).includes(" 409 ")) broken++;
      if (performance.now() > until) throw error;
    }
    await sleep(40);
  }
}

interface Walk {
  /** The hour that the clock is being moved to. */
  asked: number | null;
  /** How many moves were answered. */
  moves: number;
  /** How many moves were broken off, by hour. */
  readonly interrupted: Map<number, number>;
}

/** Moves the clock from one piece of the day's work to the next, until the end of the day on which it is told to finish. */
async function moveOn(stage: Stage, walk: Walk, finished: (day: CalendarDay) => boolean): Promise<CalendarDay> {
  for (let day = FIRST; ; day = addDays(day, 1)) {
    for (const hour of HOURS) {
      const broken = await move(stage, day, hour, walk);
      walk.moves++;
      if (broken > 0) walk.interrupted.set(hour, (walk.interrupted.get(hour) ?? 0) + 1);
    }
    if (finished(day)) return day;
  }
}

/** Staff make and submit batches of the next days by hand beside the daily work; what is refused or broken off is not asked again. */
async function gatherByHand({ staff }: Stage, today: () => CalendarDay, finished: () => boolean): Promise<void> {
  while (!finished()) {
    await sleep(500);
    try {
      const { id } = (await staff("/debit-batches", { actionDate: addDays(today(), GATHERED_DAYS) })) as { id: string };
      await staff(`/debit-batches/${id}/submit`, {});
    } catch {
      // Nothing is due, or the service is down and will be started again.
    }
  }
}

/** What staff asked for during a move of the clock is done by a worker, beside it. */
async function allSent({ id, dataDir }: Stage): Promise<void> {
  const client = await openDatabase(dataDir, id);
  await eventually("every batch is sent", async () => {
    const waiting = await client.query(
      `select from debit_batches b where b.status = 'submitting' or b.status = 'open' and exists (
         select from due_work w where w.kind = 'debit_batch.submit' and w.subject = b.id and w.due_at <= (select clock_at from organisations))`,
    );
    return waiting.rows.length === 0;
  }).finally(() => client.end());
}

interface Collected {
  readonly reference: string;
  /** Its date, `YYYYMMDD`. */
  readonly day: string;
  readonly status: string;
  readonly cents: string;
  readonly times: number;
  readonly told: number;
  readonly entries: number;
}

/**
 * Every debit day until `reached` was debited once, as the gateway and the books say, and everything that was sent has
 * ended as it should.
 */
async function assertCollected(
  t: Test,
  stage: Stage,
  mandates: readonly MandateOfTest[],
  reached: CalendarDay,
): Promise<void> {
  const { id, dataDir } = stage;
  const client = await openDatabase(dataDir, id);
  t.after(() => client.end());
  await allSent(stage);
  const read = async (sql: string) => (await client.query<Collected>(sql)).rows;
  const gateway = await read(
    "select reference, min(status) as status, sum(amount_cents)::text as cents, count(*)::int as times from sandbox_payments where kind = 'debit' group by reference order by reference",
  );
  const ours = await read(
    `select t.reference, right(t.reference, 8) as day, t.status, t.amount_cents::text as cents, (select count(*)::int from debits d where d.transaction_id = t.id) as times,
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
  const settled = addDays(reached, GATHERED_DAYS).replaceAll("-", "");
  for (const { reference, day, status, cents, times, told, entries } of ours) {
    // What the last days have gathered is still at the bank.
    if (day > settled) continue;
    const expected = unpaid.has(reference.slice(0, -9)) ? ["failed", 0] : ["complete", 1];
    assert.deepEqual([status, entries, told, times, cents], [...expected, 1, 1, "35050"], reference);
  }
}

/** The references of a mandate's debits from `FIRST` to a day, or until it is paused. */
function debitsUntil({ accountReference, debitDay, unpaid }: MandateOfTest, until: CalendarDay): string[] {
  const found: string[] = [];
  for (let month = monthsSinceYearZero(FIRST); month <= monthsSinceYearZero(until); month++) {
    const day = dayOfMonth(month, debitDay);
    if (day <= until) found.push(`${accountReference}-${day.replaceAll("-", "")}`);
  }
  return unpaid ? found.slice(0, UNPAID_MAX) : found;
}
