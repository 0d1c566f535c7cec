import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { type CollectingShop, openCollectingShop } from "../support/collected-subscriptions.ts";
import { openSubscriptionShop, type SubscriptionShop } from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/*
 * Interface 16.8 and 16.10: unused days are worth what is still paid or owed for them, and credit that a cancelled
 * invoice had used comes back.
 */

interface Changed {
  readonly change: {
    readonly prorationInvoice: { readonly dueNow: number; readonly creditToNextRenewal: number } | null;
  };
}

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** A change with `now`, which its preview has shown: what is due now, and the credit. */
async function changed({ shop }: Pick<SubscriptionShop, "shop">, id: string, body: object): Promise<number[]> {
  const wanted = { proration: "now", ...body };
  const shown = await shop.post<Changed["change"]>(`/customer-subscriptions/${id}/preview-change`, wanted);
  const made = await shop.post<Changed>(`/customer-subscriptions/${id}/change-plan`, wanted);
  assert.equal(made.status, 200, made.text);
  assert.deepEqual(made.body.change, shown.body);
  const { dueNow = 0, creditToNextRenewal = 0 } = made.body.change.prorationInvoice ?? {};
  return [dueNow, creditToNextRenewal];
}

describe("an invoice of a subscription is cancelled or credited", () => {
  let shop: SubscriptionShop;
  const plans: Record<string, string> = {};
  const invoiceOf = async (id: string) => (await shop.invoices(id))[0] as { id: string; total: number; status: string };
  const cancelled = async (id: string) => {
    const answer = await shop.shop.post(`/invoices/${(await invoiceOf(id)).id}/cancel`, {});
    assert.equal(answer.status, 200, answer.text);
  };
  const creditOf = async (id: string) => (await shop.now(id))["credit"];
  before(async () => {
    shop = await openSubscriptionShop(api);
    for (const [code, amount, frequency] of [
      ["reed", 310, "monthly"],
      ["oak", 620, "monthly"],
      ["year", 3650, "annually"],
    ])
      plans[String(code)] = await shop.addPlan({ name: code, code, amount, frequency, taxRate: 0 });
    await shop.move("2027-03-01");
  });

  test("never paid, and cancelled: a yearly plan leaves no credit, and the month is charged", async () => {
    const paid = await shop.subscribe({ plan: "year" });
    const unpaid = await shop.subscribe({ plan: "year" });
    await cancelled(unpaid.id);
    assert.deepEqual(await changed(shop, paid.id, { plan: "reed" }), [0, 3340]);
    assert.deepEqual(await changed(shop, unpaid.id, { plan: "reed" }), [310, 0]);
    // What was credited for an invoice ends when that is cancelled afterwards.
    const [, year] = (await shop.invoices(paid.id)).length === 1 ? [null, (await shop.invoices(paid.id))[0]] : [];
    await shop.shop.post(`/invoices/${year?.["id"]}/cancel`, {});
    assert.equal(await creditOf(paid.id), 0);
  });

  for (const collectionMethod of ["invoice", "manual"])
    test(`an upgrade's invoice is cancelled, and back (${collectionMethod})`, async () => {
      const { id } = await shop.subscribe({ plan: "reed", collectionMethod });
      assert.deepEqual(await changed(shop, id, { plan: "oak" }), [310, 0]);
      await cancelled(id);
      assert.deepEqual(await changed(shop, id, { plan: "reed" }), [0, 0]);
      assert.deepEqual(await changed(shop, id, { quantity: 2 }), [310, 0]);
      assert.deepEqual(await changed(shop, id, { quantity: 1 }), [0, 310]);
      assert.deepEqual(await changed(shop, id, { quantity: 2 }), [0, 0]);
      assert.equal(await creditOf(id), 0);
    });

  test("credited by a note in part, and in full", async () => {
    for (const [amount, credit] of [
      [310, 0],
      [400, 0],
      [155, 155],
    ] as const) {
      const { id } = await shop.subscribe({ plan: "oak" });
      const note = await shop.staff("POST", "/credit-notes", {
        invoiceId: (await invoiceOf(id)).id,
        amount,
        reason: "Late",
      });
      assert.equal(note.status, 201);
      const [due, left] = await changed(shop, id, { plan: "reed" });
      assert.deepEqual([due, left], [Math.max(0, amount - 310), credit]);
    }
  });

  test("a one-off discount that the invoice had used comes back, once; a change of plan in its period keeps it", async () => {
    const { id } = await shop.subscribe({ plan: "reed" });
    await shop.act(id, "discount", { percent: 50, description: "Sorry" });
    assert.deepEqual(await changed(shop, id, { plan: "year" }), [1515, 0]);
    const discounts = async () => ((await shop.now(id))["discounts"] as unknown[]).length;
    assert.equal(await discounts(), 0);
    assert.deepEqual(await changed(shop, id, { quantity: 2 }), [1825, 0]);
    await cancelled(id);
    assert.equal(await discounts(), 0, "the period's own bill has it");
    const begun = (await shop.invoices(id)).find(({ status, charge }) => status === "sent" && charge === "proration");
    assert.equal((await shop.shop.post(`/invoices/${begun?.["id"]}/cancel`, {})).status, 200);
    assert.equal(await discounts(), 1);
  });

  test("reactivated: a period whose invoice was cancelled is not a paid one", async () => {
    const { id } = await shop.subscribe({ plan: "reed" });
    for (const times of [2, 3, 4]) {
      await cancelled(id);
      await shop.act(id, "cancel", { when: "now" });
      const { status, body } = await shop.act(id, "reactivate", {});
      assert.equal(status, 200);
      assert.equal(body["cyclesBilled"], times);
      assert.deepEqual(
        (await shop.invoices(id)).map((one) => one["status"]),
        ["sent", ...Array.from({ length: times - 1 }, () => "cancelled")],
      );
    }
    await shop.act(id, "cancel", { when: "now" });
    await shop.act(id, "reactivate", {});
    assert.equal((await shop.invoices(id)).length, 4, "an open invoice is owed: its period runs");
  });

  for (const collectionMethod of ["invoice", "manual", "debit_order"])
    test(`credit that the invoice had used comes back, once (${collectionMethod})`, async () => {
      const items = [{ kind: "one_time", description: "Welcome", unitAmount: -60, quantity: 1 }];
      const { id } = await shop.subscribe({ plan: "reed", items, collectionMethod });
      assert.deepEqual([(await invoiceOf(id)).total, await creditOf(id)], [250, 0]);
      const [before] = (await shop.events(id)).slice(-1);
      await cancelled(id);
      await cancelled(id);
      assert.equal(await creditOf(id), 60);
      const last = (await shop.events(id)).at(-1);
      assert.notDeepEqual(last, before);
      assert.deepEqual([last?.type, last?.data["credit"]], ["subscription.updated", 60]);
      // It is used again, and a part of another credit too.
      await shop.act(id, "credit", { amount: 300, description: "Sorry" });
      assert.deepEqual(await changed(shop, id, { quantity: 2 }), [260, 0]);
      await cancelled(id);
      assert.equal(await creditOf(id), 360);
    });
});

describe("what was given back as credit is not given back again", () => {
  let shop: SubscriptionShop;
  const note = (invoiceId: string, amount: number) =>
    shop.staff("POST", "/credit-notes", { invoiceId, amount, reason: "Late" }) as Promise<{
      status: number;
      text: string;
    }>;
  const cancel = (id: string) => shop.shop.post(`/invoices/${id}/cancel`, {});
  /** A subscription of 620 that has gone to 310: its invoice, of whose days 310 is credit. */
  const down = async () => {
    const { id } = await shop.subscribe({ plan: "oak" });
    const invoice = String((await shop.invoices(id))[0]?.["id"]);
    assert.deepEqual(await changed(shop, id, { plan: "reed" }), [0, 310]);
    return { id, invoice, credit: async () => (await shop.now(id))["credit"] };
  };
  before(async () => {
    shop = await openSubscriptionShop(api);
    for (const [code, amount] of [
      ["reed", 310],
      ["oak", 620],
    ])
      await shop.addPlan({ name: code, code, amount, frequency: "monthly", taxRate: 0 });
    await shop.move("2027-03-01");
  });

  test("a note takes back credit that is not used, as far as it is more than the rest", async () => {
    const { id, invoice, credit } = await down();
    assert.equal((await note(invoice, 310)).status, 201);
    assert.equal(await credit(), 310);
    assert.equal((await note(invoice, 100)).status, 201);
    assert.equal(await credit(), 210);
    assert.deepEqual(
      [(await shop.events(id)).at(-1)?.type, (await shop.events(id)).at(-1)?.data["credit"]],
      ["subscription.updated", 210],
    );
    assert.equal((await note(invoice, 210)).status, 201);
    assert.equal(await credit(), 0);
    const listed = async (query: string) => {
      const { body } = (await shop.staff("GET", `/events?${query}`)) as {
        body: { data: { subject: string; type: string }[] };
      };
      return body.data;
    };
    assert.deepEqual([...new Set((await listed(`subject=${id}`)).map(({ subject }) => subject))], [id]);
    assert.equal(
      (await listed(`subject=${id}&type=subscription.updated`)).length,
      2,
      "for each note that took credit back",
    );
  });

  test("credit that a bill has used stays: neither a note nor a cancellation gives it again", async () => {
    const { id, invoice } = await down();
    assert.deepEqual(await changed(shop, id, { quantity: 2 }), [0, 0]);
    const refused = await note(invoice, 310.01);
    assert.equal(refused.status, 400);
    assert.match(refused.text, /At most R\s310\.00 .*R\s310\.00 .* unused days .* credit/);
    const kept = await cancel(invoice);
    assert.equal(kept.status, 400);
    assert.match(kept.text, /R\s310\.00/);
    assert.equal((await note(invoice, 310)).status, 201);
  });

  test("credit that comes back from a cancelled invoice ends with the invoice that had charged its days", async () => {
    const { id, invoice, credit } = await down();
    assert.deepEqual(await changed(shop, id, { quantity: 3 }), [310, 0]);
    const used = String((await shop.invoices(id))[0]?.["id"]);
    assert.equal((await cancel(invoice)).status, 400);
    assert.equal((await cancel(used)).status, 200);
    assert.equal(await credit(), 310);
    assert.equal((await cancel(invoice)).status, 200);
    assert.equal(await credit(), 0);
  });
});

describe("a payment of a subscription is refunded", () => {
  let stage: CollectingShop;
  test("after a credit for unused days: what is not used of it is taken back, what is used is not refunded", async () => {
    const { shop } = stage;
    const staff = await shop.signIn("owner");
    for (const isUsed of [false, true]) {
      const made = await stage.subscribe({ quantity: 2 });
      await stage.pay(made);
      const { body } = await shop.get<{ data: { reference: string }[] }>(`/customer-subscriptions/${made.id}/payments`);
      assert.deepEqual(await changed(stage, made.id, { quantity: 1 }), [0, 100]);
      if (isUsed) assert.deepEqual(await changed(stage, made.id, { quantity: 2 }), [0, 0]);
      const refund = (amount: number) =>
        staff("POST", `/transactions/${body.data[0]?.reference}/refunds`, { amount, method: "manual" });
      const { status, text } = await refund(200);
      assert.equal(status, isUsed ? 400 : 201, text);
      if (isUsed) {
        assert.match(text, /At most R\s100\.00 is left to refund: R\s100\.00 .* unused days/);
        assert.equal((await refund(100)).status, 201);
      }
      assert.equal((await stage.now(made.id))["credit"], 0);
    }
  });

  before(async () => {
    stage = await openCollectingShop(api);
  });

  for (const [what, refunds, cost] of [
    ["in full: nothing is left of the days", [200], [100, 0]],
    ["in part: the days are worth the rest", [60, 80], [40, 0]],
    ["not: the days are worth what was paid", [], [0, 100]],
  ] as const)
    test(what, async () => {
      const { shop } = stage;
      const made = await stage.subscribe({ quantity: 2 });
      await stage.pay(made);
      const { body } = await shop.get<{ data: { reference: string }[] }>(`/customer-subscriptions/${made.id}/payments`);
      const staff = await shop.signIn("owner");
      for (const amount of refunds) {
        const refund = { amount, method: "manual" };
        const answer = await staff("POST", `/transactions/${body.data[0]?.reference}/refunds`, refund);
        assert.equal(answer.status, 201);
      }
      assert.deepEqual(await changed(stage, made.id, { quantity: 1 }), cost);
    });

  test("never: credit that the invoice of the first charge had used comes back when that is cancelled", async () => {
    const items = [{ kind: "one_time", description: "Welcome", unitAmount: -60, quantity: 1 }];
    const { id } = await stage.subscribe({ items });
    assert.equal((await stage.now(id))["credit"], 0);
    await stage.shop.post(`/invoices/${(await stage.invoices(id))[0]?.["id"]}/cancel`, {});
    assert.equal((await stage.now(id))["credit"], 60);
    const other = await stage.subscribe({ items });
    await stage.shop.post(`/customer-subscriptions/${other.id}/cancel`, { when: "now" });
    assert.equal((await stage.now(other.id))["credit"], 60);
  });
});
