import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import pg from "pg";
import { type ApiMerchant, type Observer, openApi, type StaffCall, type TestApi } from "./api.ts";
import { cloneDatabase } from "./database.ts";
import { openStandIn, type StandIn } from "./payments.ts";
import { fc } from "./property.ts";

/* What the tests share that send concurrent random requests to a few records (test/api/chaos.*). */

/** Operations choose among this number of the newest records of each kind: few, so that they conflict. */
const FEW = 5;
const DAY_MS = 86_400_000;

/** One operation. `which` and `other` choose records and amounts; `key` decides whether an Idempotency-Key is sent. */
export interface Turn {
  readonly name: string;
  readonly which: number;
  readonly other: number;
  readonly key: number;
}

/** What came of an operation. */
export interface Done {
  readonly status: number;
  readonly body?: unknown;
}

/** Operations on a stage, by their names. */
export type Operations<Stage> = Readonly<Record<string, (stage: Stage, turn: Turn, call: StaffCall) => Promise<Done>>>;

/** Two processes over one database, of which the second is also the worker, so that due work runs beside the requests. */
export interface Chaos {
  readonly api: TestApi;
  readonly other: TestApi;
  /** Their gateway, unless they have the one of their own. */
  readonly gateway: StandIn;
  /** Errors that they have logged, and locks that were not granted. */
  readonly complaints: string[];
}

/** Opens both; they are closed after the test. */
export async function openChaos(t: TestContext, { standIn }: { standIn: boolean }): Promise<Chaos> {
  const gateway = await openStandIn();
  t.after(() => gateway.close());
  const { url } = await cloneDatabase();
  await waitForDeadlocks(url);
  const complaints: string[] = [];
  const observer: Observer = { logged: (line) => complaints.push(...complaintsIn(line)), answered() {} };
  const given = standIn ? { GATEWAY_URL_SANDBOX: gateway.url } : {};
  const api = await openApi({ ...given, DATABASE_URL: url }, observer);
  t.after(() => api.close());
  const other = await openApi({ ...given, ...api.environment, PROCESS: "all" }, observer);
  t.after(() => other.close());
  return { api, other, gateway, complaints };
}

/** PostgreSQL then does not break a deadlock early: it shows as a 503, or as work that failed, after ten seconds. */
async function waitForDeadlocks(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const name = new URL(url).pathname.slice(1);
  await client.query(`alter database ${name} set deadlock_timeout = '1min'`).finally(() => client.end());
}

/** The error of a line that says that something failed, or that locks were taken in a wrong order, with where it came from. */
function complaintsIn(line: string): string[] {
  const isError = line.includes('"level":"error"') || line.includes('"level":"fatal"');
  if (!isError && !/deadlock|lock timeout|platform\/locks\.ts/.test(line)) return [];
  const { msg, kind, err } = JSON.parse(line) as { msg?: string; kind?: string; err?: { stack?: string } };
  return [[msg, kind, err?.stack].filter((part) => part !== undefined).join(" ")];
}

/** One of the newest few. */
export const fewOf = (list: readonly string[], n: number): string =>
  list.slice(-FEW)[n % Math.min(FEW, list.length)] ?? "none";

/** A timestamp so many days after real time or another one. */
export const inDays = (days: number, from = Date.now()): string => new Date(from + days * DAY_MS).toISOString();
/** As `inDays`, its date. */
export const dayIn = (days: number, from?: number): string => inDays(days, from).slice(0, 10);

/** Waits for an answer and keeps the created record for later operations. */
export async function kept(into: string[], asked: Promise<Done>, of: (body: never) => unknown = idOf): Promise<Done> {
  const answer = await asked;
  const value = answer.status < 300 ? of(answer.body as never) : null;
  if (typeof value === "string" && !into.includes(value)) into.push(value);
  return answer;
}
const idOf = ({ id }: { id: string }) => id;

/** What is played. */
export interface Play<Stage> {
  readonly merchant: ApiMerchant;
  /** Of the merchant: what clients may do is done with it at the second process half of the time. */
  readonly key?: string;
  readonly stage: Stage;
  readonly operations: Operations<Stage>;
  /** Names of operations that come more often than once. */
  readonly often: readonly string[];
  /** Names of operations that only staff have; they go to the first process. */
  readonly staffOnly: ReadonlySet<string>;
  readonly turns: number;
  /** Requests under way; of what many of them wait for, so many that none waits for ten seconds on a busy machine. */
  readonly atOnce: number;
  /** Done again and again while the turns are performed, each time beside an equal part of them. */
  readonly beside?: readonly (() => Promise<Done>)[];
}

/**
 * Performs random operations, many at once. None ends with an internal error or without its locks, also no background work; most
 * kinds are done at least once.
 */
export async function play<Stage>({ other, complaints }: Chaos, given: Play<Stage>): Promise<void> {
  const { merchant, key = merchant.key, stage, operations, staffOnly } = given;
  const names = Object.keys(operations);
  const turn: fc.Arbitrary<Turn> = fc.record({
    name: fc.constantFrom(...names, ...given.often),
    which: fc.nat(999),
    other: fc.nat(999),
    key: fc.nat(20),
  });
  const staff = await merchant.signIn();
  const client: StaffCall = (method, path, body, headers = {}) =>
    other.call(method, `/api/v1${path}`, { body, headers, key });
  const perform = async (asked: Turn): Promise<string> => {
    // Each key is always sent with the same body.
    const its = asked.key < 5 ? { ...asked, which: asked.key, other: asked.key } : asked;
    const operation = operations[its.name] ?? assert.fail(its.name);
    const through = staffOnly.has(its.name) || its.other % 2 ? staff : client;
    const headers = its.key < 5 ? { "idempotency-key": `${its.name} ${its.key}` } : {};
    const answer = await operation(stage, its, (method, path, body, more = {}) =>
      through(method, path, body, { ...headers, ...more }),
    );
    if (answer.status >= 500 && answer.status !== 502) complaints.push(`${its.name} ${answer.status}`);
    return `${its.name} ${answer.status}`;
  };
  const seen = new Map<string, number>();
  const count = (outcome: string) => seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
  const turns = fc.sample(turn, { numRuns: given.turns });
  const parts = given.beside ?? [async () => ({ status: 200 })];
  for (const [at, beside] of parts.entries()) {
    const share = Math.ceil(turns.length / (parts.length - at));
    const waiting = turns.splice(0, share);
    const performAll = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) count(await perform(next));
    };
    const [{ status }] = await Promise.all([beside(), ...Array.from({ length: given.atOnce }, performAll)]);
    assert.equal(status, 200);
  }
  assert.deepEqual(complaints, []);
  const done = names.filter((name) => [200, 201, 303].some((status) => seen.has(`${name} ${status}`)));
  // What is seldom possible may be refused each time, by the order in which requests arrive.
  assert.ok(done.length > (names.length * 3) / 4, `most operations were done, not only ${done.join(", ")}`);
}
