import type { Bench } from "../bench.ts";
import { fillMonth } from "../fill-month.ts";
import { newMerchant } from "../merchant.ts";
import { type Line, target } from "../report.ts";
import { startService } from "../service.ts";
import { median } from "../statistics.ts";

const INVOICES = 100_000;
const SECONDS_MAX = 10;
const ROUNDS = 5;
/** The number of callers who create and send invoices at the same time. */
const CALLERS = 4;
const [MONTH, AT] = ["2026-10", "2026-10-15T10:00:00Z"];

/**
 * Closing a month of the books with 100 000 invoices over HTTP, and the longest wait of callers who post at the same
 * time, compared with their longest without it.
 */
export async function measureMonthClose(bench: Bench): Promise<Line[]> {
  const { server } = bench;
  const url = await server.database("month_close");
  const merchant = await newMerchant(server, url);
  const service = await startService(server, { DATABASE_URL: url, PROCESS: "api" });
  try {
    const [made] = await server.query<{ id: string }>(
      url,
      "select id from organisations order by created_at desc, id desc limit 1",
    );
    bench.say(`writing a month of ${INVOICES} invoices`);
    await fillMonth(server, url, { organisation: made?.id ?? "", at: AT, count: INVOICES });
    const act = (action: string) =>
      timed(() => merchant.dashboard(service.baseUrl, "POST", `/accounting/months/${MONTH}/${action}`, {}));
    const body = { firstName: "Thandi", lastName: "Nkosi", email: "payer@bench.example" };
    const { id: customerId } = (await merchant.api(service.baseUrl, "POST", "/customers", body)) as { id: string };
    const post = () => {
      const lines = [{ description: "Monthly plan", quantity: 1, unitPrice: 500, taxRate: 15 }];
      return timed(() => merchant.api(service.baseUrl, "POST", "/invoices", { customerId, lines, send: true }));
    };
    const rounds: { seconds: number; waited: number; usual: number }[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const closing = await whileBusy(post, () => act("close"));
      await act("reopen");
      const usual = await whileBusy(post, () => new Promise((done) => setTimeout(done, closing.result * 1000)));
      // The first round has no cache.
      if (round > 0) rounds.push({ seconds: closing.result, waited: closing.longest, usual: usual.longest });
    }
    const of = (value: (round: (typeof rounds)[number]) => number) => median(rounds.map(value));
    const seconds = of((round) => round.seconds);
    return [
      {
        name: `closing a month of ${INVOICES} invoices`,
        value: seconds,
        unit: "s",
        target: target("under", SECONDS_MAX, seconds, "s"),
      },
      {
        name: "posting an invoice, the longest of as much time without it",
        value: of(({ usual }) => usual),
        unit: "s",
      },
      {
        name: "posting an invoice, the longest while a month is closed",
        value: of(({ waited }) => waited),
        unit: "s",
        ratio: of(({ waited, usual }) => waited / usual),
        floor: "that without it",
        note: `${CALLERS} callers`,
      },
    ];
  } finally {
    await service.stop();
  }
}

/** Seconds that it took. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

/** Runs `work` while callers post one after the other; `longest` is the time of the slowest post, in seconds. */
async function whileBusy<T>(post: () => Promise<number>, work: () => Promise<T>) {
  let longest = 0;
  let over = false;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!over) longest = Math.max(longest, await post());
  });
  const result = await work();
  over = true;
  await Promise.all(callers);
  return { result, longest };
}
