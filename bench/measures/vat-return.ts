import type { Bench } from "../bench.ts";
import { fillMonth } from "../fill-month.ts";
import { newMerchant } from "../merchant.ts";
import { type Line, target } from "../report.ts";
import { startService } from "../service.ts";
import { median } from "../statistics.ts";

const INVOICES = 100_000;
const SECONDS_MAX = 2;
const ROUNDS = 5;
const [MONTH, AT] = ["2026-10", "2026-10-15T10:00:00Z"];

/** The VAT return of a month with 100 000 invoices over HTTP, on each basis; the first answer, without a cache, is not counted. */
export async function measureVatReturn(bench: Bench): Promise<Line[]> {
  const { server } = bench;
  const url = await server.database("vat_return");
  const merchant = await newMerchant(server, url);
  const service = await startService(server, { DATABASE_URL: url });
  try {
    const [made] = await server.query<{ id: string }>(
      url,
      "select id from organisations order by created_at desc, id desc limit 1",
    );
    bench.say(`writing a month of ${INVOICES} invoices`);
    await fillMonth(server, url, { organisation: made?.id ?? "", at: AT, count: INVOICES });
    const lines: Line[] = [];
    for (const basis of ["invoice", "payments"]) {
      const seconds: number[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const began = performance.now();
        const answer = await merchant.dashboard(service.baseUrl, "GET", `/accounting/vat201/${MONTH}?basis=${basis}`);
        seconds.push((performance.now() - began) / 1000);
        const { figures } = answer as { figures: { field: string; amount: number }[] };
        if (!figures.some(({ field, amount }) => field === "4" && amount > 0))
          throw new Error("the return has no figures");
      }
      const value = median(seconds.slice(1));
      lines.push({
        name: `VAT return of ${INVOICES} invoices, ${basis} basis`,
        value,
        unit: "s",
        target: target("under", SECONDS_MAX, value, "s"),
        note: "every tenth is paid in two parts, the first a month before",
      });
    }
    return lines;
  } finally {
    await service.stop();
  }
}
