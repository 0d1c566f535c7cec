import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, refusal, type StaffCall, type TestApi } from "../support/api.ts";
import { NOW } from "../support/invoices.ts";
import { addActiveMandate, openMandateShop } from "../support/mandates.ts";
import { eventually } from "../support/processes.ts";
import {
  type ItemBody,
  imported,
  ledgerBalances,
  openReconciling,
  type Reconciling,
  type RunBody,
  statementOf,
} from "../support/reconciliation.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const DAY = NOW.slice(0, 10);
const open = () => openReconciling(api);
const balances = (shop: Reconciling) => ledgerBalances(api, shop);
describe("a line that is matched by hand", () => {
  type Found = ItemBody & { error?: string; message?: string; item?: ItemBody };
  const match = (staff: StaffCall, item: ItemBody | undefined, ...allocations: object[]) =>
    staff<Found>("POST", `/reconciliation/items/${item?.id}/match`, { allocations });
  const undo = (staff: StaffCall, item: ItemBody | undefined) =>
    staff<Found>("POST", `/reconciliation/items/${item?.id}/unmatch`);

  test("pays three invoices, and its undoing gives back the very books", async () => {
    const shop = await open();
    const invoices = [await shop.owe(100), await shop.owe(200), await shop.owe(300)];
    const before = await balances(shop);
    const run = await imported(shop.staff, statementOf([DAY, "THANDI ALL THREE", 600]));
    const [item] = run.items;
    const { body } = await shop.staff<{ data: { title: string; allocations: object[] }[] }>(
      "GET",
      `/reconciliation/items/${item?.id}/candidates?q=thandi`,
    );
    const set = body.data.find(({ allocations }) => allocations.length === 3);
    assert.ok(set, JSON.stringify(body.data));
    const matched = await match(shop.staff, item, ...set.allocations);
    assert.equal(matched.status, 200, matched.text);
    assert.partialDeepStrictEqual(matched.body, { status: "matched", matchedBy: "finance" });
    assert.deepEqual(
      matched.body.allocations?.map(({ kind, amount }) => [kind, amount]),
      [
        ["invoice_payment", 100],
        ["invoice_payment", 200],
        ["invoice_payment", 300],
      ],
    );
    for (const { id } of invoices) assert.equal((await shop.show(id)).status, "paid");
    assert.deepEqual(await balances(shop), { bank_reconciled: 60_000, revenue: -60_000 });
    assert.partialDeepStrictEqual((await shop.merchant.get(`/reconciliation/runs/${run.id}`)).body, {
      totals: { matched: 1, unmatched: 0, amountMatched: 600, amountUnmatched: 0 },
    });
    const undone = await undo(shop.staff, item);
    assert.partialDeepStrictEqual(undone.body, { status: "unmatched", matchedBy: null, allocations: [] });
    for (const { id } of invoices) assert.equal((await shop.show(id)).status, "sent");
    assert.deepEqual(await balances(shop), before);
    assert.deepEqual(refusal((await undo(shop.staff, item)) as never), [409, "invalid_state"]);
    assert.equal((await match(shop.staff, item, ...set.allocations)).status, 200);
  });

  test("may be more or less than what is paid, and hold what the bank kept", async () => {
    const shop = await open();
    const [invoice, order] = [await shop.owe(100), await shop.paid(200)];
    const run = await imported(shop.staff, statementOf([DAY, "over", 130], [DAY, "kept", 195], [DAY, "part", 40]));
    const [over, kept] = run.items;
    const before = await balances(shop);
    const tooMuch = await match(shop.staff, over, { kind: "invoice", invoiceId: invoice.id });
    assert.match(tooMuch.body.message ?? "", /add up to R\s100\.00, the line is R\s130\.00: R\s30\.00 is left over/);
    const credit = { kind: "customer_credit", customerId: shop.customerId };
    assert.equal((await match(shop.staff, over, { kind: "invoice", invoiceId: invoice.id }, credit)).status, 200);
    assert.partialDeepStrictEqual(await shop.standing(), { credit: 30, balance: 0 });
    const payment = { kind: "payment", transactionReference: order.reference };
    const fee = await match(shop.staff, kept, payment, { kind: "bank_fee", amount: -5 });
    assert.partialDeepStrictEqual(fee.body, { status: "matched", transactionReference: order.reference });
    assert.partialDeepStrictEqual(await balances(shop), {
      bank_reconciled: 32_500,
      bank_charges: 500,
      customer_credit: -3000,
    });
    for (const item of [over, kept]) assert.equal((await undo(shop.staff, item)).status, 200);
    assert.deepEqual(await balances(shop), before);
  });

  const sale = (shop: Reconciling, fields: object = {}) => ({
    kind: "sale",
    customerId: shop.customerId,
    description: "Takings of Saturday",
    ...fields,
  });

  test("is a sale without an invoice: it gets one, paid on its day and not mailed, which its undoing cancels", async () => {
    const shop = await open();
    const before = await balances(shop);
    const run = await imported(shop.staff, statementOf([DAY, "CASH DEP", 230], [DAY, "CARD MACHINE", 110]));
    const [cash, mixed] = run.items;
    const matched = await match(shop.staff, cash, sale(shop, { method: "cash" }));
    assert.equal(matched.status, 200, matched.text);
    const [part] = matched.body.allocations ?? [];
    const invoiceId = part?.invoiceId ?? "";
    assert.partialDeepStrictEqual(part, { kind: "invoice_payment", amount: 230 });
    assert.partialDeepStrictEqual(await shop.show(invoiceId), {
      status: "paid",
      issueDate: new Date(`${DAY}T00:00:00+02:00`).toISOString(),
      lines: [{ description: "Takings of Saturday", quantity: 1, unitPrice: 200, taxRate: 15, amount: 200 }],
      taxAmount: 30,
      total: 230,
      amountPaid: 230,
    });
    const { body: payments } = await shop.merchant.get<{ data: object[] }>(`/invoices/${invoiceId}/payments`);
    assert.partialDeepStrictEqual(payments.data, [{ source: "offline", method: "cash", amount: 230 }]);
    assert.deepEqual(await balances(shop), { bank_reconciled: 23_000, revenue: -20_000, vat_output: -3000 });
    const mails = await api.query(
      "select from emails where organisation_id = $1 and about = $2",
      shop.merchant.organisation.id,
      invoiceId,
    );
    assert.deepEqual(mails, []);

    // Beside what pays an invoice and what the bank kept.
    const owed = await shop.owe(100);
    const parts = [
      { kind: "invoice", invoiceId: owed.id },
      { kind: "bank_fee", amount: -5 },
      sale(shop, { taxRate: 0 }),
    ];
    const split = await match(shop.staff, mixed, ...parts);
    assert.deepEqual(
      split.body.allocations?.map(({ amount }) => amount),
      [100, -5, 15],
      split.text,
    );
    assert.equal((await undo(shop.staff, mixed)).status, 200);
    assert.equal((await shop.show(owed.id)).status, "sent");

    assert.equal((await undo(shop.staff, cash)).status, 200);
    assert.equal((await shop.show(invoiceId)).status, "cancelled");
    assert.deepEqual(await balances(shop), { ...before, receivable: 10_000, revenue: -10_000 });
    const again = await match(shop.staff, cash, sale(shop));
    assert.equal(again.status, 200, again.text);
  });

  test("as a sale that a credit note corrects, it stays matched", async () => {
    const shop = await open();
    const [item] = (await imported(shop.staff, statementOf([DAY, "CASH DEP", 115]))).items;
    const matched = await match(shop.staff, item, sale(shop));
    const invoiceId = matched.body.allocations?.[0]?.invoiceId;
    const note = { customerId: shop.customerId, invoiceId, amount: 15, reason: "Returned" };
    const noted = await shop.merchant.post("/credit-notes", note);
    assert.equal(noted.status, 201, noted.text);
    const before = await balances(shop);
    const refused = await undo(shop.staff, item);
    assert.deepEqual([refused.status, refused.body.error], [409, "invalid_state"]);
    assert.match(refused.body.message ?? "", /of this sale has a credit note/);
    assert.deepEqual(await balances(shop), before);
  });

  test("leaves credit that is paid out, and then the match stays", async () => {
    const shop = await open();
    const run = await imported(shop.staff, statementOf([DAY, "over", 30], [DAY, "paid back", -20]));
    const [over, back] = run.items;
    const credit = { kind: "customer_credit", customerId: shop.customerId };
    assert.equal((await match(shop.staff, over, credit)).status, 200);
    const payable = async () =>
      (await shop.staff<{ amount: number; sources: object[] }>("GET", `/customers/${shop.customerId}/payable-credit`))
        .body;
    const source = { transactionReference: null, invoiceId: null, itemId: over?.id };
    assert.partialDeepStrictEqual(await payable(), { amount: 30, sources: [{ ...source, amount: 30 }] });
    const payOut = (amount: number) =>
      shop.staff<{ id: string; sources: object[] }>("POST", `/customers/${shop.customerId}/credit-refunds`, { amount });
    const [paidOut, undone] = await Promise.all([payOut(20), undo(shop.staff, over)]);
    if (paidOut.status !== 201) {
      // The undoing was first: there was nothing to pay out.
      assert.deepEqual([paidOut.status, undone.status], [400, 200]);
      assert.equal((await match(shop.staff, over, credit)).status, 200);
    }
    const refund = paidOut.status === 201 ? paidOut : await payOut(20);
    assert.equal(refund.status, 201, refund.text);
    assert.deepEqual(refund.body.sources, [{ ...source, amount: 20 }]);
    const refused = await undo(shop.staff, over);
    assert.deepEqual([refused.status, refused.body.error], [409, "invalid_state"]);
    assert.match(refused.body.message ?? "", /paid out/);
    assert.partialDeepStrictEqual(await payable(), { amount: 10, sources: [{ ...source, amount: 10 }] });
    assert.equal((await payOut(11)).status, 400);
    const listed = await shop.staff<{ data: { sources: object[] }[] }>(
      "GET",
      `/customers/${shop.customerId}/credit-refunds`,
    );
    assert.deepEqual(listed.body.data[0]?.sources, [{ ...source, amount: 20 }]);
    const returned = { kind: "credit_refund", creditRefundId: refund.body.id };
    assert.equal((await match(shop.staff, back, returned)).status, 200);
    assert.deepEqual(await balances(shop), { bank_reconciled: 1000, customer_credit: -1000 });
    assert.partialDeepStrictEqual(await shop.standing(), { credit: 10 });
  });

  test("may be ignored with a reason, which is undone, in the audit log and told to who comes late", async () => {
    const shop = await open();
    const file = statementOf([DAY, "GROCERIES", -75.5], [DAY, "b", 10]);
    const run = await imported(shop.staff, file);
    const [item] = run.items;
    const ignore = (reason?: string) =>
      shop.staff<Found>("POST", `/reconciliation/items/${item?.id}/ignore`, { reason });
    assert.equal((await ignore("")).status, 400);
    assert.equal((await ignore()).status, 400);
    const before = await balances(shop);
    const ignored = await ignore("Private, paid from this account");
    assert.partialDeepStrictEqual(ignored.body, {
      status: "ignored",
      reason: "Private, paid from this account",
      matchedBy: "finance",
      allocations: [],
    });
    assert.deepEqual(await balances(shop), before);
    const totals = async () => (await shop.merchant.get<RunBody>(`/reconciliation/runs/${run.id}`)).body.totals;
    assert.partialDeepStrictEqual(await totals(), { items: 2, matched: 0, unmatched: 1, amountUnmatched: 10 });
    for (const late of [await ignore("again"), await match(shop.staff, item, { kind: "bank_fee" })]) {
      assert.deepEqual([late.status, late.body.error], [409, "invalid_state"]);
      assert.match(late.body.message ?? "", /ignored by finance on .*: Private, paid from this account/);
    }
    const again = await imported(shop.staff, file);
    assert.deepEqual(
      again.items.map(({ status }) => status),
      ["duplicate", "duplicate"],
    );
    const idle = await shop.staff<{ data: { status: string }[] }>(
      "GET",
      "/reconciliation/items?status=duplicate,ignored",
    );
    assert.deepEqual(
      idle.body.data.map(({ status }) => status),
      ["duplicate", "duplicate", "ignored"],
    );
    assert.equal((await shop.staff("GET", "/reconciliation/items?status=ignored,none")).status, 400);
    assert.partialDeepStrictEqual((await undo(shop.staff, item)).body, {
      status: "unmatched",
      reason: null,
      matchedBy: null,
    });
    assert.partialDeepStrictEqual(await totals(), { unmatched: 2, amountUnmatched: -65.5 });
    const log = await api.query<{ action: string; status: string }>(
      "select action, after ->> 'status' as status from audit_log where subject = $1 or after ->> 'id' = $1 order by id",
      item?.id,
    );
    assert.deepEqual(log, [
      { action: "POST /reconciliation/items/{id}/ignore", status: "ignored" },
      { action: "POST /reconciliation/items/{id}/unmatch", status: "unmatched" },
    ]);
    const viewer = await shop.merchant.signIn("viewer");
    assert.equal((await viewer("POST", `/reconciliation/items/${item?.id}/ignore`, { reason: "x" })).status, 403);
    assert.equal((await match(shop.staff, item, { kind: "bank_fee" })).status, 200);
  });

  test("teaches a rule that is used once it is accepted", async () => {
    const shop = await open();
    const gateway = shop.account.id;
    const line = (day: string, text: string, amount: number) => statementOf([day, text, amount]);
    const first = await imported(shop.staff, line(DAY, "MONTHLY FEE 8812", -50));
    assert.equal((await match(shop.staff, first.items[0], { kind: "bank_fee" })).status, 200);
    const payout = await imported(shop.staff, line(DAY, "SANDBOX PAYOUT 1", 500));
    assert.equal((await match(shop.staff, payout.items[0], { kind: "payout", gatewayId: gateway })).status, 200);
    const rules = async () =>
      (
        await shop.staff<{ data: { id: string; fragment: string; kind: string; status: string }[] }>(
          "GET",
          "/reconciliation/rules",
        )
      ).body.data;
    assert.deepEqual(
      (await rules()).map(({ fragment, kind, status }) => [fragment, kind, status]),
      [
        ["SANDBOX PAYOUT", "payout", "proposed"],
        ["MONTHLY FEE", "bank_fee", "proposed"],
      ],
    );
    const statuses = async (day: string) =>
      (
        await imported(
          shop.staff,
          statementOf([day, "MONTHLY FEE 9914", -55], [day, "SANDBOX PAYOUT 2", 20], [day, "MONTHLY FEE", 5]),
        )
      ).items.map(({ status }) => status);
    assert.deepEqual(await statuses("2027-03-02"), ["unmatched", "unmatched", "unmatched"]);
    for (const { id } of await rules())
      assert.equal((await shop.staff("POST", `/reconciliation/rules/${id}/accept`)).status, 200);
    assert.deepEqual(await statuses("2027-03-03"), ["matched", "matched", "unmatched"]);
    for (const { id } of await rules()) await shop.staff("POST", `/reconciliation/rules/${id}/decline`);
    assert.deepEqual(await statuses("2027-03-04"), ["unmatched", "unmatched", "unmatched"]);
  });

  test("as a payout of a gateway, it is in the list of payouts until the match is undone", async () => {
    const shop = await open();
    const gatewayId = shop.account.id;
    const { items } = await imported(
      shop.staff,
      statementOf([DAY, "PAYOUT A", 500], [DAY, "PAYOUT B", 20], [DAY, "FEE", -5]),
    );
    for (const item of items.slice(0, 2))
      assert.equal((await match(shop.staff, item, { kind: "payout", gatewayId })).status, 200);
    assert.equal((await match(shop.staff, items[2], { kind: "bank_fee" })).status, 200);
    const listed = async (filters = "payout=true") => {
      const { body } = await shop.staff<{ data: { description: string }[] }>("GET", `/reconciliation/items?${filters}`);
      return body.data.map(({ description }) => description).sort();
    };
    assert.deepEqual(await listed(), ["PAYOUT A", "PAYOUT B"]);
    assert.deepEqual(await listed(`gatewayId=${gatewayId}`), ["PAYOUT A", "PAYOUT B"]);
    assert.deepEqual(await listed("payout=true&gatewayId=gw_other"), []);
    assert.equal((await shop.staff("POST", `/reconciliation/items/${items[0]?.id}/unmatch`)).status, 200);
    assert.deepEqual(await listed(), ["PAYOUT B"]);
  });

  test("as the payout of debits, it ends the wait for each of them", async () => {
    const shop = await openMandateShop(api);
    await addActiveMandate(shop, { debitDay: 6, description: "Gym" });
    await shop.move("2027-03-20T12:00:00+02:00");
    const awaited = async () =>
      (await shop.staff<{ data: { type: string; amount: number }[] }>("GET", "/reconciliation/awaited")).body.data;
    assert.deepEqual(
      (await awaited()).map(({ type }) => type),
      ["debit_order"],
    );
    type Held = { currencies: { places: { place: string; parts: { id: string; amount: number }[] }[] }[] };
    const { body } = await shop.staff<Held>("GET", "/overview/money-places");
    const [held] = body.currencies[0]?.places.find(({ place }) => place === "gateway_clearing")?.parts ?? [];
    assert.ok(held);
    const { items } = await imported(shop.staff, statementOf(["2027-03-20", "PAYOUT", held.amount]));
    const paidOut = { kind: "payout", gatewayId: held.id };
    assert.equal((await match(shop.staff, items[0], paidOut)).status, 200);
    assert.deepEqual(await awaited(), []);
    assert.equal((await undo(shop.staff, items[0])).status, 200);
    assert.equal((await awaited()).length, 1);
  });

  test("is matched by one of two at once, and the other is told", async () => {
    const shop = await open();
    const [one, other] = [await shop.paid(100), await shop.paid(100)];
    const [item, earlier] = (await imported(shop.staff, statementOf([DAY, "who", 100], [DAY, "fee", -1]))).items;
    // The first match of an organisation waits for others like it anyway: it makes the rows that are locked.
    assert.equal((await match(shop.staff, earlier, { kind: "bank_fee" })).status, 200);
    const second = await shop.merchant.signIn("owner");
    // The line's row is held until both wait, so that neither is done before the other has begun.
    const waits = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    const { answers } = await api.services.db.transaction(shop.merchant.organisation.id, async (tx) => {
      await tx.sql`select id from reconciliation_items where organisation_id = ${tx.organisation} and id = ${item?.id} for update`;
      const answers = Promise.all([
        match(shop.staff, item, { kind: "payment", transactionReference: one.reference }),
        match(second, item, { kind: "payment", transactionReference: other.reference }),
      ]);
      await eventually("both wait", async () => (await api.query(waits)).length >= 2);
      return { answers };
    });
    const [done, told] = (await answers).toSorted((a, b) => a.status - b.status);
    assert.deepEqual([done?.status, told?.status], [200, 409]);
    assert.equal(told?.body.error, "invalid_state");
    assert.ok(
      told?.body.message?.includes(`matched with ${done?.body.transactionReference} by ${done?.body.matchedBy}`),
      told?.text,
    );
    assert.equal(told?.body.item?.status, "matched");
  });

  test("refuses what is not there, not open, or of another kind of line", async () => {
    const shop = await open();
    const [order, invoice] = [await shop.paid(100), await shop.owe(50)];
    const draft = (await shop.create()).body;
    const run = await imported(shop.staff, statementOf([DAY, order.reference, 100], [DAY, "x", 100], [DAY, "y", -10]));
    const [, item, out] = run.items;
    const refuse = async (of: ItemBody | undefined, message: RegExp, ...allocations: object[]) => {
      const answer = await match(shop.staff, of, ...allocations);
      assert.deepEqual([answer.status, answer.body.error], [400, "invalid_request"], answer.text);
      assert.match(answer.body.message ?? "", message);
    };
    await refuse(item, /shown all of it already/, { kind: "payment", transactionReference: order.reference });
    await refuse(item, /No completed payment in ZAR/, { kind: "payment", transactionReference: "EFT-NONE" });
    await refuse(item, /At most R\s50\.00 of it is open/, { kind: "invoice", invoiceId: invoice.id, amount: 60 });
    await refuse(item, /No issued invoice/, { kind: "invoice", invoiceId: draft.id });
    await refuse(item, /No customer/, { kind: "customer_credit", customerId: "cus_x" });
    await refuse(item, /gateway account/, { kind: "payout", gatewayId: "gw_x" });
    await refuse(item, /for all of these parts but one/, { kind: "bank_fee" }, { kind: "own_transfer" });
    await refuse(item, /add up to/, { kind: "bank_fee", amount: 10 });
    await refuse(out, /A sale is money that came in/, sale(shop));
    await refuse(item, /No customer has this id/, sale(shop, { customerId: "cus_x" }));
    await refuse(item, /description is required/, { kind: "sale", customerId: shop.customerId });
    await refuse(item, /taxExempt must not be true/, sale(shop, { taxExempt: true, taxRate: 15 }));
    await refuse(out, /Credit is money that came in/, { kind: "customer_credit", customerId: shop.customerId });
    await refuse(out, /no refund that is open/, { kind: "refund", transactionReference: order.reference });
    await refuse(item, /allocations|body/i);
    assert.equal(
      (await match(shop.staff, { ...run.items[0], id: "rci_x" } as ItemBody, { kind: "bank_fee" })).status,
      404,
    );
    assert.equal((await match(shop.staff, run.items[0], { kind: "bank_fee" })).status, 409);
  });
});
