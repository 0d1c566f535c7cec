import type { Bench, Measure } from "../bench.ts";
import { AT_FIRST, fillInvoices, type InvoiceCounts, ONE_CUSTOMER } from "../fill-invoices.ts";
import { apiKey, customerId, LARGE, ORGANISATIONS, organisationId } from "../names.ts";
import { type Line, target } from "../report.ts";
import { median } from "../statistics.ts";
import { measureLoad, measurePeak, underLoad } from "./throughput.ts";

const COMMON = { connections: 16, organisations: ORGANISATIONS } as const;

const SUBJECTS = {
  create: { ...COMMON, kind: "invoice-create", name: "invoice create, three VAT lines, sent", share: 0.5 },
  get: { ...COMMON, kind: "invoice-get", name: "invoice get", share: 0.35 },
} as const;
const ONE_ORGANISATION = {
  ...SUBJECTS.create,
  name: "invoice create in one organisation",
  connections: 64,
  organisations: LARGE,
  share: 1,
} as const;

/** Throughput beside its floor. */
export const measureInvoices =
  (kind: keyof typeof SUBJECTS): Measure =>
  async (bench: Bench): Promise<Line[]> => {
    const url = await freshDatabase(bench, `invoices_${kind}`);
    return underLoad(
      bench,
      url,
      async (service, load) => (await measurePeak(bench, SUBJECTS[kind], url, service, load)).lines,
    );
  };

/** As `measureInvoices`, for one organisation, whose row of numbers all requests wait for. Throws when a number is missing. */
export async function measureOneOrganisation(bench: Bench): Promise<Line[]> {
  const url = await freshDatabase(bench, "invoices_one");
  return underLoad(bench, url, async (service, load) => {
    const { lines } = await measurePeak(bench, ONE_ORGANISATION, url, service, load);
    return [...lines, await gaps(bench, url)];
  });
}

/** Rounds of half the usual length, in which a new customer gets about its first thousand invoices. */
const CUSTOMER_ROUNDS = 8;
const OTHER = LARGE + 1;
/** Within 1.1 times. */
const RATIO_MIN = 0.91;

/** Invoices a second for a customer with 100 000 of them, compared with new customers of another organisation, in turns. */
export async function measureOneCustomer(bench: Bench): Promise<Line[]> {
  const url = await freshDatabase(bench, "invoices_one_customer", ONE_CUSTOMER);
  const rates = await underLoad(bench, url, async ({ port }, load) => {
    const rateOf = async (organisation: number, customer: number) => {
      const merchant = { apiKey: apiKey(organisation), customers: [customerId(organisation, customer)] };
      const wanted = {
        kind: "invoice-create",
        merchant,
        port,
        connections: COMMON.connections,
        organisations: 1,
      } as const;
      const seconds = bench.roundSeconds / 2;
      return (await measureLoad(load, { ...wanted, rate: null, warmupSeconds: 0, seconds })).perSecond;
    };
    const rounds: { few: number; many: number }[] = [];
    for (let round = 0; round <= CUSTOMER_ROUNDS; round++) {
      const rates = { few: await rateOf(OTHER, round), many: await rateOf(LARGE, 0) };
      bench.say(
        `one customer ${round}/${CUSTOMER_ROUNDS}: new ${Math.round(rates.few)}/s, with many ${Math.round(rates.many)}/s`,
      );
      // The first round is the warm-up of the service.
      if (round > 0) rounds.push(rates);
    }
    return rounds;
  });
  const ratio = median(rates.map(({ few, many }) => many / few));
  const name = "invoice create for one customer";
  return [
    { name: `${name}, its first thousand`, value: median(rates.map(({ few }) => few)), unit: "requests/s" },
    {
      name: `${name} with ${ONE_CUSTOMER.large} invoices`,
      value: median(rates.map(({ many }) => many)),
      unit: "requests/s",
      ratio,
      floor: "that of its first thousand",
      target: target("at least", RATIO_MIN, ratio, "of that of its first thousand"),
    },
  ];
}

async function freshDatabase({ server }: Bench, name: string, counts: InvoiceCounts = AT_FIRST): Promise<string> {
  const url = await server.database(name);
  await fillInvoices(server, url, counts);
  return url;
}

/** Numbers without an invoice; a unique constraint prevents repeats. */
async function gaps({ server }: Bench, url: string): Promise<Line> {
  const [row] = await server.query<{ invoices: number; gaps: number }>(
    url,
    `select count(*)::int as invoices, (max(last_number) - count(*))::int as gaps
       from invoices join document_numbers n using (organisation_id)
      where organisation_id = '${organisationId(LARGE)}' and n.kind = 'invoice'`,
  );
  const { invoices = 0, gaps = Number.NaN } = row ?? {};
  return {
    name: "invoice numbers left out in one organisation",
    value: gaps,
    unit: "numbers",
    target: { text: "none", met: gaps === 0 },
    note: `${invoices} invoices, those of the floor among them; no request failed`,
  };
}
