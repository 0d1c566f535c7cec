import type { Bench } from "../bench.ts";
import { type Helper, startHelper } from "../child.ts";
import type { Load, LoadResult } from "../load.ts";
import type { LoadKind, RequestOptions } from "../load-requests.ts";
import { newMerchant } from "../merchant.ts";
import { checkOut } from "../release.ts";
import { type Line, target } from "../report.ts";
import { ROOT, type Service, startService } from "../service.ts";
import { measureLoad } from "./throughput.ts";

/** The measured requests, with the highest cost of one. */
const SUBJECTS: readonly Subject[] = [
  { kind: "invoice-create", name: "invoice create and send", statements: 15, ms: 0.75 },
  { kind: "create", name: "payment link create" },
  { kind: "invoice-list", name: "list of 20 invoices", ms: 0.3 },
];
/** Short rounds, of which the best one counts: other work of the machine can only make a round worse. */
const ROUNDS = 12;
const SECONDS_SHARE = 0.1;
const CUSTOMERS = 50;
const CONNECTIONS = 16;

interface Subject {
  readonly kind: LoadKind;
  readonly name: string;
  readonly statements?: number;
  /** Of database time. */
  readonly ms?: number;
}

/** Costs of one request: statements, their database time in ms; and requests a second of one caller and of `CONNECTIONS`. */
interface Costs {
  readonly statements: number;
  readonly ms: number;
  readonly alone: number;
  readonly together: number;
}

/** One version of the service over a database of its own, with an organisation. */
interface Version {
  readonly url: string;
  readonly service: Service;
  readonly merchant: NonNullable<RequestOptions["merchant"]>;
}

/**
 * The cost for the database of requests of one organisation, by pg_stat_statements, and their rates: of this version
 * and of the revision with which it is compared, in turns. Without the worker, which does the work after a request. A
 * revision that cannot be fetched is left out.
 */
export async function measureCosts(bench: Bench): Promise<Line[]> {
  bench.say(`fetching ${bench.against}`);
  const release = await checkOut(bench.against);
  const load = startHelper<Load, LoadResult>("load.ts");
  const versions: Version[] = [];
  try {
    versions.push(await open(bench, ROOT, "costs"));
    if (typeof release !== "string") versions.push(await open(bench, release.root, "costs_of_release"));
    const lines: Line[] = [];
    for (const subject of SUBJECTS) lines.push(...(await compare(bench, subject, versions, load)));
    if (typeof release !== "string") return lines;
    return lines.map((line, index) =>
      index === 0 ? { ...line, note: `comparison skipped, because ${release}` } : line,
    );
  } finally {
    await Promise.all([load.stop(), ...versions.map(({ service }) => service.stop())]);
    if (typeof release !== "string") await release.remove();
  }
}

async function open({ server }: Bench, root: string, database: string): Promise<Version> {
  const url = await server.emptyDatabase(database);
  const merchant = await newMerchant(server, url, root);
  await server.query(
    url,
    `create extension pg_stat_statements; alter database ${database} set pg_stat_statements.track = 'top'`,
  );
  const service = await startService(server, { DATABASE_URL: url, PROCESS: "api" }, root);
  await merchant.dashboard(service.baseUrl, "POST", "/gateways", { type: "sandbox" });
  const customers: string[] = [];
  for (let number = 1; number <= CUSTOMERS; number++) {
    const body = { firstName: "Thandi", lastName: "Nkosi", email: `payer-${number}@bench.example` };
    customers.push(((await merchant.api(service.baseUrl, "POST", "/customers", body)) as { id: string }).id);
  }
  return { url, service, merchant: { apiKey: merchant.apiKey, customers } };
}

/** Measures the versions in turns. */
async function compare(
  bench: Bench,
  subject: Subject,
  versions: readonly Version[],
  load: Helper<Load, LoadResult>,
): Promise<Line[]> {
  const rounds = versions.map((): Costs[] => []);
  for (let round = 0; round <= ROUNDS; round++)
    for (const [index, version] of versions.entries()) {
      const costs = await measureRound(bench, subject, version, load);
      // The first round fills caches, and gives the planner statistics.
      if (round === 0) await bench.server.query(version.url, "vacuum analyze");
      else rounds[index]?.push(costs);
    }
  const [current = [], other = []] = rounds.map((costs) => figures(subject, best(costs)));
  return [
    ...other.map(({ limit, ...line }) => ({ ...line, name: `${line.name}, at ${bench.against}` })),
    ...current.map(({ limit, ...line }, index) => ({
      ...line,
      ...comparison(line, other[index], bench.against),
      ...(limit === undefined ? {} : { target: target("at most", limit, line.value) }),
    })),
  ];
}

async function measureRound(
  { server, roundSeconds }: Bench,
  { kind }: Subject,
  { url, service, merchant }: Version,
  load: Helper<Load, LoadResult>,
): Promise<Costs> {
  const seconds = roundSeconds * SECONDS_SHARE;
  const wanted = { kind, merchant, port: service.port, organisations: 1, rate: null, warmupSeconds: 0, seconds };
  await server.query(url, "select pg_stat_statements_reset()");
  const { perSecond: alone } = await measureLoad(load, { ...wanted, connections: 1 });
  const [total] = await server.query<{ calls: number; ms: number }>(
    url,
    // The request log is written for fifty requests at once, after them: its time counts, but its statement belongs to no single request.
    `select sum(calls) filter (where query not like '%log_requests%')::float as calls, sum(total_exec_time) as ms from pg_stat_statements
      where dbid = (select oid from pg_database where datname = current_database()) and query not like '%pg_stat_statements%'`,
  );
  const { perSecond: together } = await measureLoad(load, { ...wanted, connections: CONNECTIONS });
  const { calls = Number.NaN, ms = Number.NaN } = total ?? {};
  const requests = alone * seconds;
  return { statements: calls / requests, ms: ms / requests, alone, together };
}

const best = (rounds: readonly Costs[]): Costs => ({
  statements: Math.min(...rounds.map(({ statements }) => statements)),
  ms: Math.min(...rounds.map(({ ms }) => ms)),
  alone: Math.max(...rounds.map(({ alone }) => alone)),
  together: Math.max(...rounds.map(({ together }) => together)),
});

const comparison = (line: Line, other: Line | undefined, revision: string) =>
  other && { ratio: line.value / other.value, floor: `that at ${revision}` };

const figures = ({ name, statements, ms }: Subject, costs: Costs): (Line & { limit?: number | undefined })[] => [
  { name: `${name}, statements`, value: costs.statements, unit: "statements", limit: statements },
  { name: `${name}, database time`, value: costs.ms, unit: "ms", limit: ms },
  { name: `${name}, one caller`, value: costs.alone, unit: "requests/s" },
  { name: `${name}, ${CONNECTIONS} callers`, value: costs.together, unit: "requests/s" },
];
