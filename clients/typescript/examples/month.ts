/*
 * A shop's month, driven by an API key alone, in a sandbox organisation with the sandbox gateway, such as `demo`:
 *
 *   BASE_URL=http://localhost:8080 TEFO_KEY=tefo_… node clients/typescript/examples/month.ts
 *
 * It keeps a snapshot of the organisation first and rewinds to it at the end, so that it can be run again and nothing is left.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { forNode, rand, Tefo, type WebhookEvent } from "../src/index.ts";

const DAY_MS = 86_400_000;

/** What the month came to. */
export interface Month {
  readonly received: { readonly gross: number; readonly refunded: number; readonly reversed: number };
  readonly invoices: readonly {
    readonly number: string;
    readonly status: string;
    readonly total: number;
    readonly amountPaid: number;
  }[];
  readonly dispute: string;
  readonly debit: string;
  /** Output tax of the month of the invoices, in rand. */
  readonly vat: number;
  /** What Thandi owes at the end, in rand. */
  readonly closing: number;
  readonly exported: Readonly<Record<string, number>>;
  /** How many events of each type arrived by webhook, verified and in order. */
  readonly events: Readonly<Record<string, number>>;
}

/** Lives through the month; `say` hears what is done. */
export async function liveThroughAMonth(tefo: Tefo, say: (line: string) => void): Promise<Month> {
  const snapshot = await tefo.testClock.createSnapshot({ name: "before the month" });
  const received = await receiveWebhooks(tefo);
  try {
    const [from] = (await tefo.testClock.get()).now.split("T");
    const shop = await openShop(tefo);
    say(`catalogue and customers: ${shop.plan.name}, ${shop.thandi.firstName}, ${shop.sipho.firstName}`);
    const invoices = await sell(tefo, shop, say);
    const dispute = await refundAndDispute(tefo, say);
    const debit = await collectByDebitOrder(tefo, shop, say);
    await reconcile(tefo, invoices, say);
    const books = await closeTheMonth(tefo, shop, from ?? "", invoices, say);
    await received.until(async () => (await tefo.webhookDeliveries.list({ status: "pending" })).data.length === 0);
    return {
      ...books,
      dispute,
      debit,
      invoices: await Promise.all(
        invoices.map(async (id) => {
          const { number, status, total, amountPaid } = await tefo.invoices.get(id);
          return { number, status, total, amountPaid };
        }),
      ),
      events: received.counted(),
    };
  } finally {
    received.close();
    await tefo.testClock.rewindSnapshot(snapshot.id);
    say("rewound: the organisation is as it was");
  }
}

/** A webhook endpoint on this machine, whose events are verified, and come once and in order. */
async function receiveWebhooks(tefo: Tefo) {
  const seen: WebhookEvent[] = [];
  let handle: ReturnType<typeof forNode> = () => Promise.resolve();
  const server = createServer((request, response) => void handle(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { secret } = await tefo.webhookEndpoints.create({ url: `http://127.0.0.1:${port}/` });
  handle = forNode(tefo.webhooks.handler({ secret, on: { "*": (event) => void seen.push(event) } }));
  return {
    counted: () =>
      Object.fromEntries(
        Object.entries(Object.groupBy(seen, ({ type }) => type)).map(([type, events]) => [type, events?.length ?? 0]),
      ),
    async until(isDone: () => Promise<boolean>): Promise<void> {
      for (let tries = 0; tries < 200 && !(await isDone()); tries += 1)
        await new Promise((resolve) => setTimeout(resolve, 50));
    },
    close: () => server.close(),
  };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

async function openShop(tefo: Tefo) {
  await tefo.products.create({ name: "Coffee, 1 kg", amount: rand("285.00") });
  const package_ = await tefo.packages.create({ name: "Hosting" });
  const plan = await tefo.packages.createPlan(package_.id, {
    name: "Gold",
    amount: rand("460.00"),
    frequency: "monthly",
  });
  const coupon = await tefo.coupons.create({ code: "NEW10", percent: 10 });
  const thandi = await tefo.customers.create({ email: "thandi@example.co.za", firstName: "Thandi" });
  const sipho = await tefo.customers.create({ email: "sipho@example.co.za", firstName: "Sipho" });
  return { plan, coupon, thandi, sipho };
}

/** Two invoices, one of them paid in part and credited, and a subscription that is billed twice. */
async function sell(tefo: Tefo, { plan, coupon, thandi, sipho }: Shop, say: (line: string) => void): Promise<string[]> {
  const lines = [{ description: "Beans", quantity: 4, unitPrice: rand("250.00") }];
  const first = await tefo.invoices.create({ customerId: thandi.id, lines, send: true });
  await tefo.invoices.createPayment(first.id, { amount: rand("650.00"), method: "cash" });
  await tefo.creditNotes.create({ invoiceId: first.id, amount: rand("500.00"), reason: "Two bags were damaged" });
  const second = await tefo.invoices.create({ customerId: sipho.id, lines, send: true });
  say(`invoices ${first.number} (paid in part, the rest credited) and ${second.number}`);
  await tefo.customerSubscriptions.create({
    customer: { id: sipho.id },
    planId: plan.id,
    collectionMethod: "invoice",
    couponCode: coupon.code,
  });
  return [first.id, second.id];
}

/** The payer's side of a payment link, which a program does not have: the page, and the gateway's news of the outcome. */
async function pay(tefo: Tefo, amount: string): Promise<string> {
  const link = await tefo.paymentLinks.create({ title: "Order", amount: rand(amount) });
  const [gateway] = (await tefo.gateways.list()).data.filter(({ type }) => type === "sandbox");
  const page = await (await fetch(link.url)).text();
  const formToken = /name="formToken" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const body = new URLSearchParams({ gateway: gateway?.id ?? "", formToken });
  await fetch(link.url, { method: "POST", redirect: "manual", body });
  const reference = (await tefo.paymentLinks.get(link.id)).payments[0]?.reference ?? "";
  await tefo.sandbox.sendNotification({ reference, status: "complete" });
  return reference;
}

async function refundAndDispute(tefo: Tefo, say: (line: string) => void): Promise<string> {
  const refunded = await pay(tefo, "345.00");
  await tefo.transactions.refund(refunded, { amount: rand("115.00"), reason: "One item was out of stock" });
  const disputed = await pay(tefo, "230.00");
  await tefo.sandbox.sendNotification({ reference: disputed, status: "disputed" });
  const [dispute] = (await tefo.disputes.list({ status: "open" })).data;
  if (!dispute) throw new Error("the dispute is open");
  const slip = new File([await (await fetch(new URL(PIXEL))).blob()], "slip.png", { type: "image/png" });
  await tefo.disputes.uploadEvidence(dispute.id, { file: slip });
  await tefo.disputes.submit(dispute.id);
  await tefo.sandbox.sendNotification({ reference: disputed, status: "won" });
  say(`payments ${refunded} (refunded in part) and ${disputed} (disputed, and won)`);
  return (await tefo.disputes.get(dispute.id)).status;
}

/** A picture of one pixel, for evidence. */
const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A mandate whose first debit the bank returns, as the gateway was told, and whose second it collects. */
async function collectByDebitOrder(tefo: Tefo, { thandi }: Shop, say: (line: string) => void): Promise<string> {
  const now = new Date((await tefo.testClock.get()).now);
  const startDate = new Date(now.getTime() + 7 * DAY_MS).toISOString().slice(0, 10);
  const mandate = await tefo.mandates.create({
    customerId: thandi.id,
    bank: { branchCode: "250655", accountNumber: "62000000001", accountHolder: "T Nkosi" },
    amount: rand("199.00"),
    frequency: "monthly",
    startDate,
    debitDay: Number(startDate.slice(8)),
    // He has signed on paper.
    authority: "offline",
    confirmOfflineMandate: true,
  });
  await tefo.sandbox.createOutcomes({
    steps: [{ match: { kind: "debit", customerId: thandi.id, nth: 1 }, outcome: "insufficient_funds" }],
  });
  const move = await tefo.testClock.move({ now: new Date(now.getTime() + 20 * DAY_MS).toISOString() });
  say(`clock at ${move.now}: ${Object.values(move.ran).reduce((sum, count) => sum + count, 0)} pieces of work ran`);
  const [unpaid] = (await tefo.unpaidDebits.list()).data;
  await tefo.testClock.move({ now: new Date(now.getTime() + 48 * DAY_MS).toISOString() });
  const debits = (await tefo.mandates.listDebits(mandate.id)).data;
  return `${debits.length} debits, ${unpaid ? "the first unpaid" : "none unpaid"}`;
}

/** The bank's file, in which Sipho has paid the second invoice. */
async function reconcile(tefo: Tefo, [, id = ""]: readonly string[], say: (line: string) => void): Promise<void> {
  const invoice = await tefo.invoices.get(id);
  const day = (await tefo.testClock.get()).now.slice(0, 10);
  const statement = `Date,Description,Amount\n${day},EFT ${invoice.number},${invoice.amountDue}\n`;
  const run = await tefo.reconciliation.importBankStatement({
    file: new File([statement], "statement.csv", { type: "text/csv" }),
    account: "Cheque",
  });
  const [item] = (await tefo.reconciliation.listItems({ runId: run.id })).data;
  if (item?.status === "unmatched")
    await tefo.reconciliation.matchItem(item.id, {
      allocations: [{ kind: "invoice", invoiceId: id }],
    });
  say(`bank statement: ${invoice.number} is ${(await tefo.invoices.get(id)).status}`);
}

async function closeTheMonth(
  tefo: Tefo,
  { thandi }: Shop,
  from: string,
  [first = ""]: readonly string[],
  say: (line: string) => void,
) {
  const { issueDate } = await tefo.invoices.get(first);
  // Days of South Africa begin two hours before those of UTC.
  const period = new Date(Date.parse(issueDate) + 2 * 3_600_000).toISOString().slice(0, 7);
  const to = (await tefo.testClock.get()).now.slice(0, 10);
  const [received, vat, statement] = await Promise.all([
    tefo.overview.getReceived({ from, to }),
    tefo.accounting.getVat201(period),
    tefo.customers.getStatement(thandi.id, { from, to }),
  ]);
  const pdf = await (await tefo.customers.getStatementPdf(thandi.id, { from, to })).arrayBuffer();
  say(`statement of Thandi: closing ${statement.closing}, ${pdf.byteLength} bytes of PDF`);
  const exported: Record<string, number> = {};
  for (const [name, file] of [
    ["transactions", tefo.exports.exportTransactions({ from, to })],
    ["journal", tefo.exports.exportJournal({ from, to })],
  ] as const)
    exported[name] = (await (await file).text()).trim().split("\n").length - 1;
  return {
    received: { gross: received.gross, refunded: received.refunded, reversed: received.reversed },
    vat: vat.figures.find(({ field }) => field === "4")?.amount ?? 0,
    closing: statement.closing,
    exported,
  };
}

if (import.meta.main) {
  const { BASE_URL: baseUrl = "", TEFO_KEY: apiKey = "" } = process.env;
  const month = await liveThroughAMonth(new Tefo({ baseUrl, apiKey }), (line) => console.log(line));
  console.log(month);
}
