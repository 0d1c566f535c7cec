import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { NOW } from "../support/invoices.ts";
import { notify, openStandIn, reportedReversal, type StandIn } from "../support/payments.ts";
import { fc } from "../support/property.ts";
import { type ItemBody, imported, ledgerBalances, openReconciling, type RunBody } from "../support/reconciliation.ts";
import { closeVerified } from "../support/verified.ts";

let gateway: StandIn;
let api: TestApi;
before(async () => {
  gateway = await openStandIn();
  api = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
});
after(() => closeVerified(api).finally(gateway.close));

const DAY = NOW.slice(0, 10);
const NAMES = ["Smit", "Dlamini", "Botha"] as const;

/**
 * A movement of the month, and how its line is written: with the reference, with the customer's name alone, with
 * neither, or not at all.
 */
const movement = fc.record({
  // Few customers and amounts, so that many lines could be several payments.
  customer: fc.constantFrom(0, 0, 1, 2),
  cents: fc.constantFrom(10_000, 10_000, 10_000, 25_000, 12_345),
  /** Through a gateway, which alone can have it taken back; else a bank transfer. */
  online: fc.boolean(),
  refunded: fc.constantFrom(0, 5000),
  /** Taken back by the payer's bank: nothing, as much as a refund, or the rest. */
  reversed: fc.constantFrom(0, 5000, 5000, "rest" as const),
  line: fc.constantFrom("reference", "squeezed", "name", "name", "name", "neither", "missing", "doubled", "split"),
  refundLine: fc.constantFrom("reference", "missing"),
  reversalLine: fc.constantFrom("reference", "squeezed", "doubled", "missing"),
});
const month = fc.record({
  movements: fc.array(movement, { minLength: 3, maxLength: 12 }),
  merged: fc.boolean(),
  fees: fc.array(fc.constantFrom(-1250, -5000, -10_000), { maxLength: 3 }),
  payouts: fc.array(fc.constantFrom(10_000, 25_000, 40_000), { maxLength: 3 }),
  order: fc.array(fc.nat(), { minLength: 30, maxLength: 30 }),
});

/** A line with what it is in truth: the references of its payments; empty when it is none. */
interface TrueLine {
  readonly text: string;
  readonly cents: number;
  readonly of: readonly string[];
  readonly kind: "payment" | "refund" | "reversal";
}

test("of random months, each match is right or left to a person, and undoing all gives back the very books", async () => {
  await fc.assert(
    fc.asyncProperty(month, async ({ movements, merged, fees, payouts, order }) => {
      const shop = await openReconciling(api);
      for (const [place, name] of NAMES.entries())
        await shop.merchant.post("/customers", {
          externalReference: `C-10${place}`,
          lastName: name,
          email: `${name}@example.co.za`,
        });
      const lines: TrueLine[] = [];
      const whole: TrueLine[] = [];
      for (const one of movements) {
        const name = NAMES[one.customer] ?? "";
        const reference = await payment(shop, one);
        const line = (text: string, cents: number = one.cents, kind: TrueLine["kind"] = "payment"): TrueLine => ({
          ...{ text, cents, kind },
          of: [reference],
        });
        if (one.line === "reference") whole.push(line(`PMT ${reference}`));
        if (one.line === "squeezed") lines.push(line(`FNB${reference.replace("-", "")}X`));
        // A gateway pays out under its own name.
        if (one.line === "name" && !one.online) lines.push(line(`EFT FROM ${name.toUpperCase()}`));
        if (one.line === "neither") lines.push(line("CASH DEPOSIT"));
        if (one.line === "doubled") lines.push(line(reference), line(reference));
        if (one.line === "split") lines.push(line(reference, 4000), line(reference, one.cents - 4000));
        if (one.refunded > 0) {
          const body = { amount: one.refunded / 100, method: "manual" };
          assert.equal((await shop.staff("POST", `/transactions/${reference}/refunds`, body)).status, 201);
          if (one.refundLine === "reference") lines.push(line(`REFUND ${reference}`, -one.refunded, "refund"));
        }
        const reversed = one.reversed === "rest" ? one.cents - one.refunded : one.reversed;
        if (one.online && reversed > 0) {
          const reversal = reportedReversal(reference, { amount: reversed });
          assert.equal((await notify(api, shop.account, { reversal })).status, 200);
          const back = (text: string) => line(text, -reversed, "reversal");
          if (one.reversalLine === "reference") lines.push(back(`UNPAID ${reference}`));
          if (one.reversalLine === "squeezed") lines.push(back(`RTD${reference.replaceAll("-", "")}`));
          if (one.reversalLine === "doubled") lines.push(back(reference), back(`AGAIN ${reference}`));
        }
      }
      if (merged && whole.length > 1)
        lines.push({
          text: whole.map(({ text }) => text).join(" "),
          cents: whole.reduce((sum, { cents }) => sum + cents, 0),
          of: whole.flatMap(({ of }) => of),
          kind: "payment",
        });
      else lines.push(...whole);
      const nobody = { of: [], kind: "payment" } as const;
      lines.push(...fees.map((cents) => ({ text: "SERVICE FEE", cents, ...nobody })));
      lines.push(...payouts.map((cents, n) => ({ text: `PAYOUT ${n}`, cents, ...nobody })));
      const shuffled = lines
        .map((line, place) => ({ line, key: order[place % order.length] ?? 0 }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ line }) => line);
      if (shuffled.length === 0) return;
      const before = await ledgerBalances(api, shop);
      const csv = [
        "date,description,amount",
        ...shuffled.map(({ text, cents }) => `${DAY},${text},${(cents / 100).toFixed(2)}`),
        "",
      ].join("\n");
      const run = await imported(shop.staff, csv);
      await right(shop, run, shuffled);
      for (const item of run.items.filter(({ status }) => status === "matched"))
        assert.equal((await shop.staff("POST", `/reconciliation/items/${item.id}/unmatch`)).status, 200);
      assert.deepEqual(await ledgerBalances(api, shop), before);
    }),
    { numRuns: 8 },
  );
});

test("a match by hand of each kind is undone to the very books and balances, whatever else was matched meanwhile", async () => {
  const shop = await openReconciling(api);
  const staff = async <T>(path: string, body: object) => {
    const answer = await shop.staff<T>("POST", path, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const [transfer, refunded] = [await shop.paid(80), await shop.paid(60)];
  await staff(`/transactions/${refunded.reference}/refunds`, { amount: 25, method: "manual" });
  const online = await shop.payOnline((await shop.owe(90)).id, 90);
  const reversal = reportedReversal(online, { amount: 9000 });
  assert.equal((await notify(api, shop.account, { reversal })).status, 200);
  const [invoice, byHand] = [await shop.owe(40), await shop.owe(30)];
  assert.equal((await shop.payOffline(byHand.id, 30, { method: "eft" })).status, 201);
  const payments = await shop.staff<{ data: { id: string }[] }>("GET", `/invoices/${byHand.id}/payments`);
  const { customerId } = shop;
  const over = await imported(shop.staff, `date,description,amount\n${DAY},over,50.00\n`);
  await staff(`/reconciliation/items/${over.items[0]?.id}/match`, {
    allocations: [{ kind: "customer_credit", customerId }],
  });
  const paidOut = await staff<{ id: string }>(`/customers/${customerId}/credit-refunds`, { amount: 20 });
  const KINDS: [number, object][] = [
    [80, { kind: "payment", transactionReference: transfer.reference }],
    [-25, { kind: "refund", transactionReference: refunded.reference }],
    [-90, { kind: "reversal", transactionReference: online }],
    [40, { kind: "invoice", invoiceId: invoice.id }],
    [30, { kind: "invoice_payment", invoiceId: byHand.id, paymentId: payments.body.data[0]?.id }],
    [-20, { kind: "credit_refund", creditRefundId: paidOut.id }],
    [15, { kind: "customer_credit", customerId }],
    [500, { kind: "payout", gatewayId: shop.account.id }],
    [-7, { kind: "bank_fee" }],
    [-300, { kind: "own_transfer" }],
  ];
  const csv = KINDS.map(([amount], n) => `${DAY},line ${n} of its own,${amount.toFixed(2)}\n`).join("");
  const { items } = await imported(shop.staff, `date,description,amount\n${csv}`);
  const [books, standing] = [await ledgerBalances(api, shop), await shop.standing()];
  const match = (place: number) =>
    staff(`/reconciliation/items/${items[place]?.id}/match`, { allocations: [KINDS[place]?.[1]] });
  for (const [place, [, part]] of KINDS.entries()) {
    await match(place);
    assert.notDeepEqual(await ledgerBalances(api, shop), books, JSON.stringify(part));
    await staff(`/reconciliation/items/${items[place]?.id}/unmatch`, {});
    assert.deepEqual(await ledgerBalances(api, shop), books, JSON.stringify(part));
    assert.deepEqual(await shop.standing(), { ...standing, asOf: (await shop.standing())["asOf"] });
  }
  for (const place of KINDS.keys()) await match(place);
  const all = await ledgerBalances(api, shop);
  assert.equal(
    all["bank_reconciled"],
    (books["bank_reconciled"] ?? 0) + KINDS.reduce((sum, [amount]) => sum + amount * 100, 0),
  );
  for (const place of KINDS.keys()) await staff(`/reconciliation/items/${items[place]?.id}/unmatch`, {});
  assert.deepEqual(await ledgerBalances(api, shop), books);
});

/** A payment of a movement, by its reference. */
async function payment(
  shop: Awaited<ReturnType<typeof openReconciling>>,
  { online, cents, customer }: { readonly online: boolean; readonly cents: number; readonly customer: number },
): Promise<string> {
  if (online) return shop.payOnline((await shop.owe(cents / 100)).id, cents / 100);
  return (await shop.paid(cents / 100, { customer: { externalReference: `C-10${customer}` } })).reference;
}

/** Each matched line has the payments that it is of, and no payment is shown more than once. */
async function right(shop: Awaited<ReturnType<typeof openReconciling>>, run: RunBody, lines: readonly TrueLine[]) {
  const shown = new Map<string, number>();
  for (const [place, line] of lines.entries()) {
    const { body: item } = await shop.staff<ItemBody>("GET", `/reconciliation/items/${run.items[place]?.id}`);
    if (item.status !== "matched") continue;
    const kinds = (item.allocations ?? []).map(({ kind }) => kind);
    assert.ok(line.of.length > 0, `no payment, yet matched: ${line.text}`);
    assert.ok(
      kinds.every((kind) => kind === line.kind),
      line.text,
    );
    const ids = (item.allocations ?? []).map(({ id }) => id);
    const references = await api.query<{ reference: string }>(
      "select t.reference from transactions t where t.id = any ($1) union select t.reference from refunds r join transactions t on t.id = r.transaction_id where r.id = any ($1) union select t.reference from reversals r join transactions t on t.id = r.transaction_id where r.id = any ($1)",
      ids,
    );
    assert.deepEqual(references.map(({ reference }) => reference).sort(), [...line.of].sort(), line.text);
    for (const { id, amount } of item.allocations ?? [])
      shown.set(id ?? "", (shown.get(id ?? "") ?? 0) + Math.abs(Math.round(amount * 100)));
  }
  for (const [id, cents] of shown) {
    const [row] = await api.query<{ amount_cents: string }>(
      "select amount_cents from transactions where id = $1 union all select amount_cents from refunds where id = $1 union all select amount_cents from reversals where id = $1",
      id,
    );
    assert.ok(cents <= Number(row?.amount_cents), `${id} is shown more than once`);
  }
}
