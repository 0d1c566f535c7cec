import type { Bench } from "../bench.ts";
import { fillMonth } from "../fill-month.ts";
import { newMerchant } from "../merchant.ts";
import { type Line, target } from "../report.ts";
import { startService } from "../service.ts";
import { median } from "../statistics.ts";

const INVOICES = 100_000;
const SECONDS_MAX = 1;
const ROUNDS = 5;
const AT = "2026-10-15T10:00:00Z";
/** The month that posts the invoices, and one after it. */
const MONTHS = ["2026-10", "2026-11"];

/**
 * Deferred revenue over HTTP of an organisation with 100 000 invoices that each bill two services, of a month and of a
 * year; the first answer, without a cache, is not counted.
 */
export async function measureDeferredRevenue(bench: Bench): Promise<Line[]> {
  const { server } = bench;
  const url = await server.database("deferred_revenue");
  const merchant = await newMerchant(server, url);
  const service = await startService(server, { DATABASE_URL: url });
  try {
    const [made] = await server.query<{ id: string }>(
      url,
      "select id from organisations order by created_at desc, id desc limit 1",
    );
    bench.say(`writing a month of ${INVOICES} invoices`);
    await fillMonth(server, url, { organisation: made?.id ?? "", at: AT, count: INVOICES });
    await server.query(
      url,
      `set session_replication_role = replica;
       update invoice_lines set period_start = '2026-10-15', period_end = case line when 1 then date '2026-11-14' else '2027-10-14' end where line < 3`,
    );
    await server.query(url, "vacuum analyze invoice_lines");
    const lines: Line[] = [];
    for (const month of MONTHS) {
      const seconds: number[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const began = performance.now();
        const answer = await merchant.dashboard(service.baseUrl, "GET", `/accounting/deferred-revenue/${month}`);
        seconds.push((performance.now() - began) / 1000);
        if ((answer as { invoices: number }).invoices !== INVOICES) throw new Error("the month lacks invoices");
      }
      const value = median(seconds.slice(1));
      lines.push({
        name: `deferred revenue of ${INVOICES} invoices, ${month === MONTHS[0] ? "the month that posts them" : "the month after"}`,
        value,
        unit: "s",
        target: target("under", SECONDS_MAX, value, "s"),
        note: "each bills two services, of a month and of a year",
      });
    }
    return lines;
  } finally {
    await service.stop();
  }
}
