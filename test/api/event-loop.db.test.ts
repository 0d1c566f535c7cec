import assert from "node:assert/strict";
import { availableParallelism, loadavg } from "node:os";
import { after, before, describe, test } from "node:test";
import { importSubscriptions } from "../../src/flows/customer-subscriptions/import-subscriptions.ts";
import { importStatement } from "../../src/flows/reconciliation/import-statement.ts";
import { previewImport } from "../../src/flows/reconciliation/preview-statement.ts";
import type { Run } from "../../src/modules/reconciliation/types.ts";
import { openThread } from "../../src/platform/threads.ts";
import { type ApiMerchant, type Credentials, openApi, type TestApi } from "../support/api.ts";
import { longestTurn } from "../support/longest-turn.ts";
import type { Visit, Visited } from "../support/visitor.ts";

/*
 * No request holds the event loop, whatever it sends or reads (decisions.md#files-are-read-in-a-thread). The requests come from another
 * thread; absolute figures: bench.
 */

/** The longest turn, in milliseconds of processor time on a machine that does nothing else. */
const QUIET_TURN_MAX = 50;
/** Milliseconds that `STEPS` take the processor of the machine of that figure. */
const STEPS_MS = 30;
const STEPS = 30_000_000;

/** How many times slower than that machine's processor this one's is at the moment. */
function slowness(): number {
  const before = process.cpuUsage();
  let sum = 0;
  for (let step = 0; step < STEPS; step += 1) sum += step % 7;
  assert(sum > 0);
  return process.cpuUsage(before).user / 1000 / STEPS_MS;
}

/** The same work takes up to twice the processor's time where others use its caches and the other half of its cores. */
const turnMax = () =>
  QUIET_TURN_MAX *
  Math.min(2, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())) *
  Math.min(3, Math.max(1, slowness()));
/** A turn may be long for another reason, such as code that is compiled: only what is long each time is a fault. */
const TRIES = 3;
const MEGABYTE = 1024 * 1024;

let api: TestApi;
let shop: ApiMerchant;
let staff: readonly Credentials[];
let cookie: string;
const visitor = openThread<readonly Visit[], Visited[]>({
  script: new URL("../support/visitor.ts", import.meta.url),
  what: "visits",
  timeoutMs: 240_000,
  tooLong: "The visits take too long.",
  memoryMegabytes: 1024,
  waiting: 10,
  waitingOfOne: 10,
  idleMs: 60_000,
});

before(async () => {
  api = await openApi();
  shop = await api.addMerchant();
  staff = await Promise.all(Array.from({ length: 4 }, () => shop.addStaff()));
  const signedIn = await api.call("POST", "/dashboard/api/auth/sign-in/email", { body: staff[0] });
  cookie = (signedIn.headers["set-cookie"] ?? []).map((line) => line.split(";", 1)[0]).join("; ");
});
after(async () => {
  await visitor.close();
  await api.close();
});

/** Runs the work until no turn was long; the last answer. */
async function inShortTurns<T>(work: () => Promise<T>): Promise<T> {
  const turns: number[] = [];
  const most = turnMax();
  let answer: T | undefined;
  do {
    turns.push(
      await longestTurn(async () => {
        answer = await work();
      }),
    );
  } while (turns.length < TRIES && Math.min(...turns) > most);
  assert(Math.min(...turns) <= most, `the loop was held for ${turns.join(", ")} ms`);
  return answer as T;
}

const get = (path: string): Visit => ({
  method: "GET",
  url: api.baseUrl + path,
  headers: path.startsWith("/dashboard") ? { cookie } : { authorization: `Bearer ${shop.key}` },
});
const statuses = (answers: readonly Visited[]) => [...new Set(answers.map(({ status }) => status))];
const form = { account: "62000000001" };
const csvOf = (rows: number) =>
  Buffer.from(
    `Date,Description,Amount,Balance\n${Array.from(
      { length: rows },
      (_, n) => `2026-01-${String((n % 28) + 1).padStart(2, "0")},"Payment ${n}, of customer ${n}",${n + 1}.00,1.00\n`,
    ).join("")}`,
  );

describe("uploads", () => {
  const hostile = [
    ["20 MB of commas", ",", ""],
    ["OFX with millions of tags", "<A>1", "OFXHEADER:100\n\n<OFX><BANKMSGSRSV1>"],
  ] as const;
  for (const [what, fill, head] of hostile)
    test(`${what} are refused`, async () => {
      const bytes = Buffer.concat([Buffer.from(head), Buffer.alloc(20 * MEGABYTE - head.length, fill)]);
      const { services } = api;
      const ctx = await shop.ctx();
      await inShortTurns(() => assert.rejects(importStatement(services, ctx, { name: "a", bytes }, form)));
    });

  test("30 000 lines are shown", async () => {
    const bytes = csvOf(30_000);
    const ctx = await shop.ctx();
    assert.equal((await inShortTurns(() => previewImport(api.services, ctx, bytes, form))).count, 30_000);
  });

  test("5 000 external subscriptions are checked", async () => {
    const rows = Array.from({ length: 5_000 }, (_, n) => `s${n},c${n},gold,2027-01-01\n`);
    const bytes = Buffer.from(`externalReference,customer.externalReference,plan,paidThrough\n${rows.join("")}`);
    const ctx = await shop.ctx();
    const report = await inShortTurns(() => importSubscriptions(api.services, ctx, bytes, true));
    assert.deepEqual([report.length, report.at(-1)?.action], [5_000, "error"]);
  });

  test("four proofs of 10 MB are stored, and read", async () => {
    await shop.addGateway({
      type: "manual_eft",
      credentials: {
        bankName: "FNB",
        accountName: "Shop",
        accountNumber: "62000000001",
        branchCode: "250655",
        accountType: "cheque",
      },
    });
    const order = await shop.post<{ id: string }>("/eft-orders", { amount: 10, description: "A table" });
    const path = `/api/v1/eft-orders/${order.body.id}`;
    const proof = (n: number): Visit => ({
      ...get(`${path}/proof`),
      method: "POST",
      file: { name: "a.pdf", head: `%PDF-1.4\n% ${n}\n`, fill: "0123456789", bytes: 10 * MEGABYTE, end: "\n%%EOF\n" },
    });
    const sent = Array.from({ length: 4 }, (_, n) => proof(n));
    assert.deepEqual(statuses(await inShortTurns(() => visitor.run("", sent))), [200]);
    const { body } = await shop.get<{ proofs: { id: string }[] }>(`/eft-orders/${order.body.id}`);
    const reads = body.proofs.map(({ id }) => get(`/dashboard/api/eft-orders/${order.body.id}/proofs/${id}`));
    const answers = await inShortTurns(() => visitor.run("", reads));
    assert.deepEqual(
      answers.map(({ status, bytes }) => [status, Math.round(bytes / MEGABYTE)]),
      Array.from({ length: 4 }, () => [200, 10]),
    );
  });
});

describe("reads", () => {
  test("a run of 6 000 lines is imported, and read eight times at once", async () => {
    const file = { name: "a.csv", bytes: csvOf(6_000) };
    const ctx = await shop.ctx();
    const run: Run = await inShortTurns(() => importStatement(api.services, ctx, file, form));
    const reads = Array.from({ length: 8 }, () => get(`/api/v1/reconciliation/runs/${run.id}`));
    assert.deepEqual(statuses(await inShortTurns(() => visitor.run("", reads))), [200]);
  });

  test("eight exports at once of 5 000 customers", async () => {
    await shop.post("/customers", { email: "one@example.com", firstName: "One" });
    await api.query(
      `insert into customers select (jsonb_populate_record(c, jsonb_build_object('id', overlay(c.id placing to_char(n, 'FM00000') from 20), 'account_code',
         'A' || n, 'email', n || '@example.com'))).* from customers c, generate_series(1, 5000) n where c.organisation_id = $1`,
      shop.organisation.id,
    );
    const exports = Array.from({ length: 8 }, () => get("/dashboard/api/exports/customers.csv"));
    const answers = await inShortTurns(() => visitor.run("", exports));
    assert.deepEqual(statuses(answers), [200]);
    assert(answers.every(({ bytes }) => bytes > 500_000));
  });
});

test("48 sign-ins at once", async () => {
  const signIn = (n: number): Visit => ({
    method: "POST",
    url: `${api.baseUrl}/dashboard/api/auth/sign-in/email`,
    headers: { "x-forwarded-for": `10.1.1.${n}` },
    body: staff[n % staff.length],
  });
  const all = Array.from({ length: 48 }, (_, n) => signIn(n));
  assert.deepEqual(statuses(await inShortTurns(() => visitor.run("", all))), [200]);
});
