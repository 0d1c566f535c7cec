import type { Bench, Measure } from "../bench.ts";
import { AT_FIRST, fillInvoices } from "../fill-invoices.ts";
import { LARGE, ORGANISATIONS, organisationId } from "../names.ts";
import type { Line } from "../report.ts";
import { measurePeak, underLoad } from "./throughput.ts";

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

async function freshDatabase({ server }: Bench, name: string): Promise<string> {
  const url = await server.database(name);
  await fillInvoices(server, url, AT_FIRST);
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
