import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Scope } from "../../src/modules/api-keys/rules.ts";
import type { RoleId } from "../../src/modules/members/types.ts";
import { foldDaySums } from "../../src/modules/overview/store.ts";
import { openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { addPayment, CREDENTIALS, notify, openStandIn, reportedPayment, type StandIn } from "../support/payments.ts";
import { imported, openReconciling, type Reconciling, statementOf } from "../support/reconciliation.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 14.4: where the money is, against the rows that say so; verify compares what is kept of it with the journal. */

let gateway: StandIn;
let api: TestApi;
before(async () => {
  gateway = await openStandIn();
  api = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
});
after(async () => {
  await closeVerified(api).finally(() => gateway.close());
});

interface Part {
  readonly name: string | null;
  readonly id: string | null;
  readonly amount: number;
}
interface Places {
  readonly object: string;
  readonly currencies: readonly {
    readonly currency: string;
    readonly total: number;
    readonly places: readonly { readonly place: string; readonly amount: number; readonly parts: readonly Part[] }[];
  }[];
}

const cents = (amount: number) => Math.round(amount * 100);
const total = (of: readonly { readonly amount: number }[]) => of.reduce((sum, { amount }) => sum + cents(amount), 0);

async function read(staff: StaffCall) {
  const { status, body, text } = await staff<Places>("GET", "/overview/money-places");
  assert.equal(status, 200, text);
  assert.equal(body.object, "money_places");
  return body.currencies;
}

/** The figures are those of the rows: of the journal, of the matches that stand, and of what was received. */
async function assertTrue({ staff, merchant }: Reconciling) {
  const organisation = merchant.organisation.id;
  const [rand, ...others] = await read(staff);
  assert.deepEqual([rand?.currency, others], ["ZAR", []]);
  const places = rand?.places ?? [];
  const inCents = Object.fromEntries(places.map(({ place, amount }) => [place, cents(amount)]));
  const sums = async (text: string): Promise<Record<string, number>> => {
    const rows = await api.query<{ key: string; cents: string }>(text, organisation);
    return Object.fromEntries(rows.map((row) => [row.key, Number(row.cents)]));
  };
  const ofJournal = (key: string, accounts: string) => `
    select ${key} as key, sum(amount_cents) as cents from journal_lines
     where organisation_id = $1 and account in (${accounts}) group by 1 having sum(amount_cents) <> 0`;
  assert.deepEqual(
    inCents,
    await sums(
      ofJournal(
        "account",
        "'bank_reconciled', 'bank', 'gateway_clearing', 'gateway_fees', 'bank_charges', 'own_transfers'",
      ),
    ),
  );
  const partsOf = (name: string, key: (part: Part) => string | null) =>
    Object.fromEntries(
      (places.find(({ place }) => place === name)?.parts ?? []).map((part) => [key(part), cents(part.amount)]),
    );
  assert.deepEqual(
    partsOf("bank_reconciled", ({ name }) => name),
    await sums(`
      select r.account as key, sum(a.amount_cents) as cents from reconciliation_allocations a
        join reconciliation_items i on i.organisation_id = $1 and i.id = a.item_id
        join reconciliation_runs r on r.organisation_id = $1 and r.id = i.run_id
       where a.organisation_id = $1 and a.posted and a.undone_at is null group by 1 having sum(a.amount_cents) <> 0`),
  );
  assert.deepEqual(
    partsOf("gateway_clearing", ({ id }) => id),
    await sums(ofJournal("gateway_account_id", "'gateway_clearing'")),
  );
  for (const { place, amount, parts } of places)
    if (parts.length > 0) assert.equal(total(parts), cents(amount), `the parts of ${place} add up to it`);
  assert.equal(total(places), cents(rand?.total ?? 0), "the places add up to the total");
  const received = await staff<{ net: number }>("GET", "/overview/received?from=2026-01-01&to=2027-12-31");
  assert.equal(rand?.total, received.body.net, "it is what was received");
  return rand;
}

const line = (run: Awaited<ReturnType<typeof imported>>, description: string) =>
  run.items.find((item) => item.description === description)?.id ?? "";

describe("where the money is", () => {
  test("is nowhere before anything is received", async () => {
    const shop = await openReconciling(api);
    assert.deepEqual(await read(shop.staff), [{ currency: "ZAR", total: 0, places: [] }]);
  });

  test("is known of each payment, refund, payout, fee and transfer, in each bank and at each gateway", async () => {
    const shop = await openReconciling(api);
    const { staff, merchant } = shop;
    const owner = await merchant.signIn("owner");
    const match = async (id: string, ...allocations: object[]) => {
      const { status, text } = await staff("POST", `/reconciliation/items/${id}/match`, { allocations });
      assert.equal(status, 200, text);
    };
    const undo = async (id: string) =>
      assert.equal((await staff("POST", `/reconciliation/items/${id}/unmatch`)).status, 200);

    const reference = await shop.payOnline((await shop.owe(1000)).id, 1000);
    await assertTrue(shop);
    const second = await merchant.addGateway({ name: "Second", credentials: CREDENTIALS });
    const elsewhere = await addPayment(api, merchant, second, { cents: 30_000 });
    const paid = reportedPayment(elsewhere, "complete", { amount: 30_000, fee: 1_000 });
    assert.equal((await notify(api, second, { payment: paid })).status, 200);
    await assertTrue(shop);
    const transfer = await shop.paid(80);
    const open = await shop.paid(45);
    const recorded = await shop.payOffline((await shop.owe(70)).id, 70, { method: "cash" });
    assert.equal(recorded.status, 201, recorded.text);
    const unmatched = await assertTrue(shop);
    assert.deepEqual(
      unmatched?.places.map(({ place, amount }) => [place, amount]),
      [
        ["bank", 195],
        ["gateway_clearing", 1286.1],
        ["gateway_fees", 13.9],
      ],
    );

    const owed = await shop.owe(60);
    const cheque = await imported(
      staff,
      statementOf(
        ["2027-02-24", "PAYOUT", 900],
        ["2027-02-25", "EFT", 80, transfer.reference],
        ["2027-02-25", "FEE", -7.5],
        ["2027-02-26", "TO SAVINGS", -500],
        ["2027-02-26", "PAYS", 75],
      ),
    );
    await match(line(cheque, "PAYOUT"), { kind: "payout", gatewayId: shop.account.id });
    await match(line(cheque, "FEE"), { kind: "bank_fee" });
    await match(line(cheque, "TO SAVINGS"), { kind: "own_transfer" });
    await match(
      line(cheque, "PAYS"),
      { kind: "invoice", invoiceId: owed.id },
      { kind: "customer_credit", customerId: shop.customerId },
    );
    await assertTrue(shop);
    const savings = await imported(
      staff,
      statementOf(["2027-02-26", "FROM CHEQUE", 450], ["2027-02-27", "PAYOUT TWO", 290]),
      { account: "Savings" },
    );
    await match(line(savings, "FROM CHEQUE"), { kind: "own_transfer" });
    await match(line(savings, "PAYOUT TWO"), { kind: "payout", gatewayId: second.id });
    const matched = await assertTrue(shop);
    const gateways = { name: shop.account.name, id: shop.account.id };
    assert.deepEqual(matched?.places, [
      {
        place: "bank_reconciled",
        amount: 1287.5,
        parts: [
          { name: "Savings", id: null, amount: 740 },
          { name: "Cheque", id: null, amount: 547.5 },
        ],
      },
      { place: "bank", amount: 115, parts: [] },
      { place: "gateway_clearing", amount: 96.1, parts: [{ ...gateways, amount: 96.1 }] },
      { place: "gateway_fees", amount: 13.9, parts: [] },
      { place: "bank_charges", amount: 7.5, parts: [] },
      { place: "own_transfers", amount: 50, parts: [] },
    ]);

    await undo(line(savings, "PAYOUT TWO"));
    await undo(line(cheque, "PAYS"));
    await assertTrue(shop);
    const refund = await owner("POST", `/transactions/${reference}/refunds`, { amount: 30, method: "manual" });
    assert.equal(refund.status, 201, refund.text);
    await assertTrue(shop);
    const april = await imported(staff, statementOf(["2027-03-01", "EFT LATER", 45, open.reference]));
    assert.equal(april.items[0]?.status, "matched");
    const last = await assertTrue(shop);
    await foldDaySums(api.services.db);
    assert.deepEqual(await assertTrue(shop), last, "brought together, the sums are the same");
    const rows = await api.query(
      "select slot from money_sums where organisation_id = $1 and slot > 0",
      merchant.organisation.id,
    );
    assert.deepEqual(rows, []);
  });

  test("is another's to no organisation, and the same to a key as to staff", async () => {
    const [one, other] = [await openReconciling(api), await openReconciling(api)];
    await one.payOffline((await one.owe(70)).id, 70);
    await other.payOffline((await other.owe(40)).id, 40);
    for (const [shop, amount] of [
      [one, 70],
      [other, 40],
    ] as const) {
      const expected = [{ currency: "ZAR", total: amount, places: [{ place: "bank", amount, parts: [] }] }];
      assert.deepEqual(await read(shop.staff), expected);
      const { body } = await shop.merchant.get<Places>("/overview/money-places");
      assert.deepEqual(body.currencies, expected);
    }
  });

  test("names bank and gateway accounts to those who may read them, and is nothing to who may not read payments", async () => {
    const shop = await openReconciling(api);
    await shop.payOnline((await shop.owe(100)).id, 100);
    const run = await imported(shop.staff, statementOf(["2027-02-24", "PAYOUT", 50]));
    const allocations = [{ kind: "payout", gatewayId: shop.account.id }];
    const { status } = await shop.staff("POST", `/reconciliation/items/${line(run, "PAYOUT")}/match`, { allocations });
    assert.equal(status, 200);
    const owner = await shop.merchant.signIn("owner");
    const named = async (...permissions: string[]) => {
      const role = await owner<{ id: string }>("POST", "/roles", {
        name: permissions.join(" ").slice(0, 40),
        permissions,
      });
      assert.equal(role.status, 201, role.text);
      const clerk = await shop.merchant.signIn(role.body.id as RoleId);
      const answer = await clerk<Places>("GET", "/overview/money-places");
      if (answer.status !== 200) return answer.status;
      const [rand] = answer.body.currencies;
      assert.equal(rand?.total, 100);
      return rand?.places.flatMap(({ parts }) => parts.map(({ name }) => name));
    };
    assert.equal(await named("invoices:read"), 403);
    assert.deepEqual(await named("transactions:read"), []);
    assert.deepEqual(await named("transactions:read", "gateways:read"), [shop.account.name]);
    assert.deepEqual(await named("transactions:read", "reconciliation:read"), ["Cheque"]);
    const keyed = async (scopes: Scope[]) => {
      const { key } = await shop.merchant.addKey([], { scopes });
      const answer = await shop.merchant.get<Places>("/overview/money-places", { key });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.currencies[0]?.places.flatMap(({ parts }) => parts.map(({ name }) => name));
    };
    assert.deepEqual(await keyed(["accounting:read"]), []);
    assert.deepEqual(await keyed(["accounting:read", "reconciliation:read"]), ["Cheque"]);
  });

  test("is added up by currency, and two writers at once lose nothing", async () => {
    const shop = await openReconciling(api);
    const invoices = await Promise.all(Array.from({ length: 12 }, async () => (await shop.owe(10)).id));
    const answers = await Promise.all(invoices.map((id) => shop.payOffline(id, 10)));
    assert.ok(answers.every(({ status }) => status === 201));
    await Promise.all([foldDaySums(api.services.db), foldDaySums(api.services.db)]);
    assert.equal((await assertTrue(shop))?.total, 120);
    const dollars = await addPayment(api, shop.merchant, shop.account, { cents: 5_000, currency: "USD" });
    const paid = reportedPayment(dollars, "complete", { amount: 5_000, currency: "USD", fee: 100 });
    assert.equal((await notify(api, shop.account, { payment: paid })).status, 200);
    assert.deepEqual(
      (await read(shop.staff)).map(({ currency, total: all, places }) => [
        currency,
        all,
        places.map(({ place }) => place),
      ]),
      [
        ["ZAR", 120, ["bank"]],
        ["USD", 50, ["gateway_clearing", "gateway_fees"]],
      ],
    );
  });
});
