import { EXAMINATIONS } from "../../src/catalogue.ts";
import { verifyOrganisation } from "../../src/flows/verify/verify-organisation.ts";
import { openClient } from "../marathon/client.ts";
import { notOnce, notRepeated, twice, unsettled } from "../marathon/examination.ts";
import { seeded } from "../marathon/random.ts";
import { prepare, type Shop, shopOf } from "../marathon/shop.ts";
import { doWork, passDays } from "../marathon/work.ts";
import type { ApiMerchant, TestApi } from "../support/api.ts";
import type { World } from "./world.ts";

/** Of work in a history. */
const STEPS = 12;
/** After which everything that was begun has ended: debits have their results, retries are over. */
const REST_DAYS = 12;
/** Stored requests that are sent again. */
const REPEATED = 10;

/** What a history did, and what of it does not hold. */
export interface History {
  readonly seed: number;
  /** The names of its work, in order. */
  readonly steps: readonly string[];
  /** How often each path was answered how, each event was sent, and what each ledger account has: the same for the same seed. */
  readonly left: Readonly<Record<string, number>>;
  readonly found: readonly string[];
}

/** One merchant's work with the faults of a seed; then the faults end, and everything must hold. */
export async function runHistory({ api, trouble }: World, seed: number): Promise<History> {
  const random = seeded(seed);
  trouble.random = null;
  const merchant = await api.addMerchant();
  const shop = await openShop(api.baseUrl, merchant, random.branch());
  const steps: string[] = [];
  trouble.random = random.branch();
  for (let step = 0; step < STEPS; step++) steps.push(await doWork(shop, random));
  trouble.random = null;
  await passDays(shop, REST_DAYS);
  const query = <Row extends object>(sql: string, values: readonly unknown[] = []) => api.query<Row>(sql, ...values);
  const found = [
    ...shop.refused,
    ...(await notOnce({ query }, shop)),
    ...(await notRepeated(shop, random, REPEATED)),
    ...(await twice({ query })),
    ...(await unsettled({ query })),
    ...(await unfinished(query, shop)),
    ...(await verified(api, merchant)),
  ];
  return { seed, steps, left: await leftBy(query, shop), found };
}

async function openShop(baseUrl: string, merchant: ApiMerchant, random: ReturnType<typeof seeded>): Promise<Shop> {
  const { id, slug } = merchant.organisation;
  const { key } = await merchant.addKey(["charge_saved_cards"]);
  const { id: gatewayId } = await merchant.addGateway();
  const shop = shopOf(
    { id, slug, clocked: true, gatewayId },
    openClient(baseUrl, key, () => false),
    random,
  );
  const staff = await merchant.signIn();
  await prepare(shop, (path, body) => staff("POST", path, body));
  return shop;
}

type Query = <Row extends object>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

async function verified({ services }: TestApi, { organisation }: ApiMerchant): Promise<string[]> {
  const found: string[] = [];
  for await (const { faults } of verifyOrganisation(services, organisation, EXAMINATIONS))
    found.push(...faults.map((fault) => `verify: ${JSON.stringify(fault)}`));
  return found;
}

/** Work that is due, or that was given up. */
async function unfinished(query: Query, { id }: Shop): Promise<string[]> {
  const rows = await query<{ what: string }>(
    `select kind || ' ' || subject || coalesce(': ' || last_error, '') as what from due_work
      where organisation_id = $1 and (parked_at is not null or is_due and not waits_for_clock)`,
    [id],
  );
  return rows.map(({ what }) => `not done: ${what}`);
}

async function leftBy(query: Query, { id, answers }: Shop): Promise<Record<string, number>> {
  const rows = await query<{ what: string; amount: number }>(
    `select 'event ' || type as what, count(*)::integer as amount from events where organisation_id = $1 group by type
     union all select 'ledger ' || account || ' ' || currency, sum(amount_cents)::integer from journal_lines
      where organisation_id = $1 group by account, currency`,
    [id],
  );
  return Object.fromEntries([...answers, ...rows.map(({ what, amount }) => [what, amount] as const)].toSorted());
}
