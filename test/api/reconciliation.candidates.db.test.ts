import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { NOW } from "../support/invoices.ts";
import {
  type ItemBody,
  imported,
  ledgerBalances,
  openReconciling,
  type Reconciling,
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

describe("a line that nobody could match for sure", () => {
  const match = (staff: StaffCall, item: ItemBody | undefined, ...allocations: object[]) =>
    staff("POST", `/reconciliation/items/${item?.id}/match`, { allocations });
  const undo = (staff: StaffCall, item: ItemBody | undefined) =>
    staff("POST", `/reconciliation/items/${item?.id}/unmatch`);

  test("is offered what is open of the customers whose words it has, the likeliest first, and matched by a person alone", async () => {
    const shop = await open();
    type Candidate = { title: string; reason: string; customerId: string | null; allocations: object[] };
    const offered = async (item: ItemBody | undefined) =>
      (await shop.staff<{ data: Candidate[] }>("GET", `/reconciliation/items/${item?.id}/candidates`)).body.data;
    const add = async (company: string) =>
      (await shop.merchant.post<{ id: string }>("/customers", { company })).body.id;
    const named = await add("Thandi Mokoéna Trading");
    const other = await add("Mokoena Brothers (Pty) Ltd");
    for (let n = 0; n < 51; n++) await add(`Bloemfontein Stationers ${n}`);
    const [first, second] = [await shop.owe(300, { customerId: named }), await shop.owe(500, { customerId: named })];
    const elsewhere = await shop.owe(700, { customerId: other });
    const paid = await shop.paid(40, { customer: { id: await add("Trading Mokoena") } });
    const run = await imported(
      shop.staff,
      statementOf(
        [DAY, "EFT MOKOENA TRADING JULY", 123.45],
        [DAY, "EFT MOKOENA JULY", 800],
        [DAY, "BLOEMFONTEIN PTY LTD", 5],
      ),
      { periodStart: "2026-01-01", periodEnd: "2026-01-02" },
    );
    const [line, sum, common] = run.items;
    assert.deepEqual(
      run.items.map(({ status }) => status),
      ["unmatched", "unmatched", "unmatched"],
    );
    const found = await offered(line);
    const invoices = found.flatMap(({ title, reason }) => (title.startsWith("Invoice ") ? [[title, reason]] : []));
    assert.deepEqual(invoices, [
      [`Invoice ${first.number} of Thandi Mokoéna Trading`, "The line names the customer: MOKOENA TRADING"],
      [`Invoice ${second.number} of Thandi Mokoéna Trading`, "The line names the customer: MOKOENA TRADING"],
      [`Invoice ${elsewhere.number} of Mokoena Brothers (Pty) Ltd`, "The line names the customer: MOKOENA"],
    ]);
    assert.deepEqual(
      found.flatMap(({ title, allocations }) => (title.startsWith("Payment ") ? [[title, allocations]] : [])),
      [[`Payment ${paid.reference}`, [{ kind: "payment", transactionReference: paid.reference, amount: 40 }]]],
    );
    const set = (await offered(sum)).find(({ allocations }) => allocations.length === 2);
    assert.equal(set?.customerId, named);
    assert.deepEqual(await offered(common), []);
    assert.equal((await match(shop.staff, sum, ...(set?.allocations ?? []))).status, 200);
    assert.equal((await shop.show(second.id)).status, "paid");
  });

  test("is searched by how a name or a number begins, and offered what it names before the many invoices of its amount", async () => {
    const shop = await open();
    type Candidate = { title: string; reason: string; allocations: object[] };
    const add = async (fields: object) => (await shop.merchant.post<{ id: string }>("/customers", fields)).body.id;
    const meant = await add({ company: "Karoo Saws", externalReference: "shop-88" });
    for (let n = 0; n < 61; n++) await shop.owe(99);
    const named = await shop.owe(99);
    const theirs = await shop.owe(99, { customerId: meant });
    const other = await shop.owe(77, { customerId: meant });
    const run = await imported(shop.staff, statementOf([DAY, `MONTHLY ${named.number}`, 99]));
    const offered = async (q: string) => {
      const query = q === "" ? "" : `?q=${encodeURIComponent(q)}`;
      const path = `/reconciliation/items/${run.items[0]?.id}/candidates${query}`;
      return (await shop.staff<{ data: Candidate[] }>("GET", path)).body.data.map(({ title, reason }) => [
        title,
        reason,
      ]);
    };
    const number = [`Invoice ${named.number} of Thandi`, "The line names its number"];
    const found = [
      [`Invoice ${theirs.number} of Karoo Saws`, "The amount is what is due"],
      [`Invoice ${other.number} of Karoo Saws`, "The customer that was searched for"],
    ];
    const first = await offered("");
    assert.deepEqual(first[0], number);
    assert.deepEqual(
      [first.length, new Set(first.slice(1).map(([, reason]) => reason))],
      [60, new Set(["The amount is what is due"])],
    );
    for (const q of ["karoo", "saw KAR", "shop-88", "Shop-8"])
      assert.deepEqual((await offered(q)).slice(0, 3), [number, ...found], q);
    for (const q of ["aroo", "%", "karoo nobody", "x".repeat(201)]) assert.deepEqual(await offered(q), first, q);
    const byNumber = [`Invoice ${other.number} of Karoo Saws`, "The number that was searched for"];
    for (const q of [other.number, other.number.toLowerCase(), String(Number(other.number.slice(4)))])
      assert.deepEqual((await offered(q)).slice(0, 2), [number, byNumber], q);
  });

  test("is offered a payment of an invoice that staff have recorded by hand, until a statement shows it", async () => {
    const shop = await open();
    const meant = (await shop.merchant.post<{ id: string }>("/customers", { company: "Karoo Saws" })).body.id;
    const [invoice, other] = [await shop.owe(230, { customerId: meant }), await shop.owe(500, { customerId: meant })];
    assert.equal((await shop.payOffline(invoice.id, 230, { method: "eft" })).status, 201);
    assert.equal((await shop.payOffline(other.id, 70, { method: "cash" })).status, 201);
    const before = await balances(shop);
    const run = await imported(
      shop.staff,
      statementOf([DAY, "CASH DEPOSIT", 230], [DAY, `PMT ${invoice.number}`, 40], [DAY, "KAROO", 9], [DAY, "b", 8]),
    );
    const [same, numbered, named, neither] = run.items;
    type Candidate = { title: string; reason: string; amount: number; allocations: { kind: string; amount: number }[] };
    const offered = async (item: ItemBody | undefined, query = "") =>
      (await shop.staff<{ data: Candidate[] }>("GET", `/reconciliation/items/${item?.id}/candidates${query}`)).body.data
        .filter(({ allocations }) => allocations[0]?.kind === "invoice_payment")
        .map(({ title, reason, amount, allocations: [part] }) => [title, reason, amount, part?.amount]);
    const title = `Payment of ${invoice.number} of Karoo Saws, recorded by hand`;
    const small = `Payment of ${other.number} of Karoo Saws, recorded by hand`;
    assert.deepEqual(await offered(same), [[title, "The amount is the same", 230, 230]]);
    assert.deepEqual(await offered(numbered), [[title, "The line names its invoice", 230, 40]]);
    assert.deepEqual(
      (await offered(named)).toSorted(),
      [
        [title, "The line names the customer: KAROO", 230, 9],
        [small, "The line names the customer: KAROO", 70, 9],
      ].toSorted(),
    );
    assert.deepEqual(await offered(neither), []);
    assert.deepEqual((await offered(neither, "?q=karoo")).length, 2);
    assert.deepEqual(await offered(neither, `?q=${other.number}`), [
      [small, "The number that was searched for", 70, 8],
    ]);
    const path = `/reconciliation/items/${same?.id}/candidates`;
    const { data } = (await shop.staff<{ data: Candidate[] }>("GET", path)).body;
    const [chosen] = data.filter((one) => one.title === title);
    assert.equal((await match(shop.staff, same, ...(chosen?.allocations ?? []))).status, 200);
    assert.deepEqual(await balances(shop), { ...before, bank: 7000, bank_reconciled: 23_000 });
    assert.equal((await shop.show(invoice.id)).amountPaid, 230);
    assert.deepEqual(await offered(numbered), []);
    assert.equal((await undo(shop.staff, same)).status, 200);
    assert.deepEqual(await balances(shop), before);
    assert.equal((await offered(numbered)).length, 1);
  });
});

test("lines are listed with their best candidates, of which one that names number and sum alone is exact", async () => {
  const shop = await open();
  const [first, second, third] = [await shop.owe(230), await shop.owe(500), await shop.owe(500)];
  await imported(
    shop.staff,
    statementOf(
      [DAY, `PMT ${first.number}`, 230],
      [DAY, `PMT ${second.number} OR ${third.number}`, 500],
      [DAY, `PMT ${first.number} AND ${second.number}`, 730],
      [DAY, `PMT ${first.number}`, 200],
      [DAY, "FEE", -3.5],
    ),
  );
  type Listed = {
    description: string;
    suggestions: { title: string; exact: boolean; allocations: object[] }[];
  };
  const { body } = await shop.staff<{ data: Listed[]; left: object[]; hasMore: boolean }>(
    "GET",
    "/reconciliation/to-match",
  );
  assert.deepEqual(
    body.data.map(({ description, suggestions }) => [
      description,
      suggestions.map(({ exact }) => exact).includes(true),
    ]),
    [
      ["FEE", false],
      [`PMT ${first.number}`, false],
      [`PMT ${first.number} AND ${second.number}`, true],
      [`PMT ${second.number} OR ${third.number}`, false],
      [`PMT ${first.number}`, true],
    ],
  );
  assert.equal(body.data[2]?.suggestions[0]?.allocations.length, 2);
  assert.deepEqual(body.left, [{ currency: "ZAR", lines: 5, received: 1660, paid: 3.5 }]);
  const page = await shop.staff<{ data: Listed[]; hasMore: boolean }>("GET", "/reconciliation/to-match?limit=2");
  assert.deepEqual([page.body.data.length, page.body.hasMore], [2, true]);
  const other = await shop.staff<{ data: Listed[]; left: object[] }>("GET", "/reconciliation/to-match?account=Other");
  assert.deepEqual([other.body.data, other.body.left], [[], []]);
});
