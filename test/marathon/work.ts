import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "./random.ts";
import type { Shop } from "./shop.ts";

/* What merchants, their staff and their payers do, by its name, and how often each is done. */

interface Work {
  readonly weight: number;
  run(shop: Shop, random: Random): Promise<unknown>;
}

type Json = Readonly<Record<string, unknown>>;

const VISA = "4242424242424242";
/** Its later charges are declined. */
const DECLINED = "4000000000000341";
const MOVES_DAYS = 3;

const cents = (random: Random): number => 1 + random.below(200_000) / 100;
const outcomeOf = (random: Random) => ({
  outcome: random.weighted({ complete: 8, fail: 1, cancel: 1 }),
  card: random.below(5) === 0 ? DECLINED : VISA,
});

/** Creates a record and keeps its id. */
async function make(shop: Shop, kind: keyof Shop["ids"], path: string, body: Json): Promise<Json> {
  const answer = await shop.call("POST", path, body);
  if (answer.status === 201) shop.ids[kind].push(String(answer.body["id"]));
  return answer.body;
}

/** A customer of the shop; a new one when it has none. */
async function customerOf(shop: Shop, random: Random): Promise<string> {
  const known = random.of(shop.ids.customers);
  if (known !== undefined && random.below(4) > 0) return known;
  return String((await make(shop, "customers", "/customers", { email: `${random.name()}@example.com` }))["id"]);
}

async function addLink(shop: Shop, random: Random): Promise<void> {
  const body = { title: "Order", amount: cents(random), externalReference: random.name() };
  const { url } = await make(shop, "links", "/payment-links", body);
  if (random.below(3) > 0) await shop.pay(String(url), {}, outcomeOf(random));
}

async function addInvoice(shop: Shop, random: Random): Promise<void> {
  const lines = Array.from({ length: 1 + random.below(3) }, () => ({
    description: "Work",
    quantity: 1 + random.below(4),
    unitPrice: cents(random),
  }));
  const customerId = await customerOf(shop, random);
  const body = { customerId, lines, externalReference: random.name(), send: true };
  await make(shop, "invoices", "/invoices", body);
}

async function addQuote(shop: Shop, random: Random): Promise<void> {
  const lineItems = [{ description: "Work", quantity: 1, unitPrice: cents(random) }];
  const { id } = await make(shop, "quotes", "/quotes", { customerId: await customerOf(shop, random), lineItems });
  if (random.below(2) === 0) return;
  await shop.call("POST", `/quotes/${id}/send`, {});
  await shop.call("POST", `/quotes/${id}/accept`, {});
  await shop.call("POST", `/quotes/${id}/convert`, {});
}

async function addCard(shop: Shop, random: Random): Promise<void> {
  const customer = await customerOf(shop, random);
  const setup = await shop.call("POST", `/customers/${customer}/cards/setup`, {});
  if (setup.status !== 201) return;
  await shop.pay(String(setup.body["url"]), {}, { ...outcomeOf(random), saveCard: "on" });
  shop.ids.carded.push(customer);
}

/** A charge takes no key: a repeat with its reference is answered with the first one. */
async function chargeCard(shop: Shop, random: Random): Promise<void> {
  const customer = random.of(shop.ids.carded);
  if (customer === undefined) return;
  const body = { amount: cents(random), description: "Charge", externalReference: random.name() };
  const { status, body: answer } = await shop.callPlain(`/customers/${customer}/cards/default/charges`, body);
  if (status >= 400 && ![402, 404, 409, 429, 502].includes(status))
    shop.refused.push(`charge: ${status} ${JSON.stringify(answer)}`);
}

async function refund(shop: Shop, random: Random): Promise<void> {
  if (shop.ids.paid.length === 0 || random.below(4) === 0) {
    const { body } = await shop.call("GET", "/transactions?status=complete&limit=50");
    const found = (body["data"] as { reference: string }[] | undefined) ?? [];
    shop.ids.paid.splice(0, shop.ids.paid.length, ...found.map(({ reference }) => reference));
  }
  const reference = random.of(shop.ids.paid);
  if (reference !== undefined)
    await shop.call("POST", `/transactions/${reference}/refunds`, { amount: 1 + random.below(20) });
}

async function subscribe(shop: Shop, random: Random): Promise<void> {
  const collectionMethod = random.weighted({ gateway: 3, invoice: 2, debit_order: 1 });
  const customer = { id: await customerOf(shop, random) };
  const asked = { customer, planId: random.of(shop.ids.plans), collectionMethod, externalReference: random.name() };
  const made = await make(shop, "subscriptions", "/customer-subscriptions", asked);
  const { url } = (made["payment"] as { url?: string } | null | undefined) ?? {};
  if (url) await shop.pay(url, {}, { ...outcomeOf(random), saveCard: "on" });
}

async function changeSubscription(shop: Shop, random: Random): Promise<void> {
  const id = random.of(shop.ids.subscriptions);
  if (id === undefined) return;
  const action = random.weighted({ pause: 2, resume: 2, retry: 2, "change-plan": 2, reactivate: 1 });
  const body = action === "change-plan" ? { quantity: 1 + random.below(3), proration: "now" } : {};
  await shop.call("POST", `/customer-subscriptions/${id}/${action}`, body);
}

async function checkOut(shop: Shop, random: Random): Promise<void> {
  const { body } = await shop.call("POST", "/checkout-sessions", { productId: shop.ids.products[0] });
  const payer = { email: `${random.name()}@example.com`, firstName: "Thandi" };
  if (body["checkoutUrl"]) await shop.pay(String(body["checkoutUrl"]), payer, outcomeOf(random));
}

async function addMandate(shop: Shop, random: Random): Promise<void> {
  const accountNumber = `62900417${random.below(5) === 0 ? "702" : "701"}`;
  await make(shop, "mandates", "/mandates", {
    customerId: await customerOf(shop, random),
    bank: { branchCode: "250655", accountNumber, accountHolder: "T Nkosi" },
    amount: cents(random),
    debitDay: 1 + random.below(31),
    authority: "offline",
    confirmOfflineMandate: true,
  });
}

async function gatherDebits(shop: Shop, random: Random): Promise<void> {
  const now = shop.clocked ? await clockOf(shop) : new Date();
  const actionDate = new Date(now.getTime() + (2 + random.below(28)) * 86_400_000).toISOString().slice(0, 10);
  const { id } = await make(shop, "batches", "/debit-batches", { actionDate });
  if (id !== undefined) await shop.call("POST", `/debit-batches/${id}/submit`);
}

async function transfer(shop: Shop, random: Random): Promise<void> {
  const known = random.of(shop.ids.transfers);
  if (known !== undefined && random.below(2) === 0) await shop.call("POST", `/eft-orders/${known}/approve`);
  else await make(shop, "transfers", "/eft-orders", { amount: cents(random), externalReference: random.name() });
}

/** A statement with a line that fits nothing and, at times, one that names a payment. */
async function importStatement(shop: Shop, random: Random): Promise<void> {
  const now = shop.clocked ? await clockOf(shop) : new Date();
  const day = now.toISOString().slice(0, 10);
  const named = random.of(shop.ids.paid) ?? "nothing";
  const lines = [`${day},"EFT ${random.name()}",${cents(random)},`, `${day},"${named}",${cents(random)},${named}`];
  const form = new FormData();
  form.append("account", "Cheque");
  form.append("file", new Blob([["date,description,amount,reference", ...lines, ""].join("\n")]), "statement.csv");
  await shop.call("POST", "/reconciliation/imports", form);
}

async function closeMonth(shop: Shop, random: Random): Promise<void> {
  const now = shop.clocked ? await clockOf(shop) : new Date();
  const month = new Date(now.getTime() - 31 * 86_400_000).toISOString().slice(0, 7);
  await shop.call("POST", `/accounting/months/${month}/${random.weighted({ close: 2, reopen: 1 })}`);
}

async function clockOf(shop: Shop): Promise<Date> {
  const { body } = await shop.call("GET", "/test-clock");
  return new Date(String(body["now"] ?? new Date().toISOString()));
}

async function moveClock(shop: Shop, random: Random): Promise<void> {
  if (!shop.clocked) return;
  const now = await clockOf(shop);
  await shop.callPlain("/test-clock", {
    now: new Date(now.getTime() + (1 + random.below(MOVES_DAYS * 24)) * 3_600_000).toISOString(),
  });
}

const WORK = {
  link: { weight: 10, run: addLink },
  invoice: { weight: 6, run: addInvoice },
  "invoice payment": {
    weight: 4,
    run: async (shop, random) => {
      const id = random.of(shop.ids.invoices);
      if (id !== undefined)
        await shop.call("POST", `/invoices/${id}/payments`, { amount: cents(random), method: "eft" });
    },
  },
  quote: { weight: 2, run: addQuote },
  "credit note": {
    weight: 2,
    run: async (shop, random) =>
      shop.call("POST", "/credit-notes", {
        customerId: await customerOf(shop, random),
        reason: "Returned",
        amount: cents(random),
      }),
  },
  card: { weight: 3, run: addCard },
  charge: { weight: 4, run: chargeCard },
  refund: { weight: 4, run: refund },
  subscription: { weight: 3, run: subscribe },
  "change of a subscription": { weight: 3, run: changeSubscription },
  checkout: { weight: 4, run: checkOut },
  mandate: { weight: 3, run: addMandate },
  debits: { weight: 2, run: gatherDebits },
  transfer: { weight: 4, run: transfer },
  statement: { weight: 2, run: importStatement },
  closing: { weight: 1, run: closeMonth },
  clock: { weight: 2, run: moveClock },
} satisfies Readonly<Record<string, Work>>;

const WEIGHTS = Object.fromEntries(Object.entries(WORK).map(([name, { weight }]) => [name, weight])) as Readonly<
  Record<keyof typeof WORK, number>
>;

/** Does one piece of work; answers its name. */
export async function doWork(shop: Shop, random: Random): Promise<string> {
  const name = random.weighted(WEIGHTS);
  await WORK[name].run(shop, random);
  return name;
}

/** Moves a set clock on by so many days, until it has arrived: each move may be broken off. */
export async function passDays(shop: Shop, days: number): Promise<void> {
  const until = new Date((await clockOf(shop)).getTime() + days * 86_400_000);
  for (;;) {
    const { status } = await shop.callPlain("/test-clock", { now: until.toISOString() });
    if (status < 300 || (await clockOf(shop)) >= until) return;
    await sleep(200);
  }
}
