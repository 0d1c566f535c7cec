import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, refusal, type TestApi } from "../support/api.ts";
import { addOrder, BANK } from "../support/eft.ts";
import { NOW } from "../support/invoices.ts";
import {
  type ItemBody,
  imported,
  importFile,
  ledgerBalances,
  openReconciling,
  type Reconciling,
  type RunBody,
  statementOf,
  uploadStatement,
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
const shapes = (items: readonly ItemBody[]) =>
  items.map(({ status, amount, transactionReference }) => [status, amount, transactionReference]);

describe("a statement of one of several bank accounts", () => {
  test("calls missing only transfers that arrive at its account, once it is said which", async () => {
    const shop = await open();
    const savings = await shop.merchant.addGateway({ type: "manual_eft", credentials: BANK, name: "Savings" });
    const first = await shop.paid(100);
    const { body: gateways } = await shop.staff<{ data: { id: string; type: string }[] }>("GET", "/gateways");
    const cheque = gateways.data.find(({ id, type }) => type === "manual_eft" && id !== savings.id)?.id ?? "";
    const lacking = async (account: string, gatewayId?: string) => {
      const csv = statementOf([DAY, `${account} ${Math.random()}`, 1]);
      const { items } = await imported(shop.staff, csv, { account, ...(gatewayId ? { gatewayId } : {}) });
      return items.flatMap(({ status, reference }) => (status === "not_received" ? [reference] : []));
    };
    assert.deepEqual(await lacking("Savings"), [first.reference], "nothing is said");
    assert.deepEqual(await lacking("Savings", savings.id), [], "it is awaited at another");
    assert.deepEqual(await lacking("Savings"), [], "kept");
    assert.deepEqual(await lacking("Cheque"), [first.reference], "no other account is that of its transfers");
    assert.deepEqual(await lacking("Cheque", cheque), [first.reference]);
    assert.deepEqual(await lacking("Third"), [], "both are others");
    const { body } = await shop.staff<{ data: { account: string; gatewayId: string | null }[] }>(
      "GET",
      "/reconciliation/accounts",
    );
    assert.deepEqual(
      body.data.map(({ account, gatewayId }) => [account, gatewayId]),
      [
        ["Cheque", cheque],
        ["Savings", savings.id],
        ["Third", null],
      ],
    );
    for (const gatewayId of ["gw_none", (await (await open()).merchant.addGateway()).id])
      assert.deepEqual(
        refusal(await importFile(shop.staff, statementOf([DAY, "x", 1]), { account: "No", gatewayId })),
        [400, "invalid_request"],
      );
  });
});

describe("an import", () => {
  test("answers the run: what is matched, left over, lacking and repeated", async () => {
    const shop = await open();
    const [seen, lacking] = [await shop.paid(100), await shop.paid(250)];
    const csv = statementOf(
      [DAY, "FNB OB PMT THANDI", 100, seen.reference],
      [DAY, "MYSTERY", "75.50"],
      [DAY, "BANK FEE", "-12.00"],
    );
    const run = await imported(shop.staff, csv);
    assert.partialDeepStrictEqual(run, {
      object: "reconciliation_run",
      source: "csv_upload",
      account: "Cheque",
      status: "completed",
      startedAt: NOW,
      finishedAt: NOW,
      periodStart: DAY,
      periodEnd: DAY,
      currency: "ZAR",
      totals: { items: 4, matched: 1, unmatched: 2, notReceived: 1, amountMatched: 100, amountUnmatched: 63.5 },
    });
    assert.deepEqual(shapes(run.items), [
      ["matched", 100, seen.reference],
      ["unmatched", 75.5, null],
      ["unmatched", -12, null],
      ["not_received", 250, lacking.reference],
    ]);
    assert.partialDeepStrictEqual(run.items[3] ?? {}, { date: DAY, reference: lacking.reference });
    assert.match(run.items[0]?.reason ?? "", /names the reference/);
    const [event] = await shop.eventsOf(run.id);
    const { items, ...summary } = run;
    assert.deepEqual([event?.type, event?.data], ["reconciliation.completed", summary]);
    assert.deepEqual((await shop.merchant.get(`/reconciliation/runs/${run.id}`)).body, run);
    assert.deepEqual((await shop.merchant.get(`/reconciliation/runs`)).body, {
      data: [summary],
      hasMore: false,
      nextCursor: null,
    });
    assert.deepEqual((await shop.staff("GET", `/reconciliation/runs/${run.id}/summary`)).body, summary);
    const line = await shop.staff("GET", `/reconciliation/items/${run.items[0]?.id}`);
    assert.partialDeepStrictEqual(line.body, { runId: run.id, account: "Cheque", currency: "ZAR" });
    const again = await imported(shop.staff, csv);
    assert.deepEqual(
      again.items.map(({ status }) => status),
      ["duplicate", "duplicate", "duplicate", "not_received"],
    );
    assert.equal((await imported(shop.staff, csv, { account: "Other" })).totals["unmatched"], 3);
  });

  test("of more lines than are read at once is answered whole, in the order of the statement", async () => {
    const shop = await open();
    const amounts = Array.from({ length: 2001 }, (_, at) => at + 1);
    const run = await imported(
      shop.staff,
      statementOf(...amounts.map((amount) => [DAY, `line ${amount}`, amount] as const)),
    );
    assert.deepEqual(
      run.items.map(({ amount }) => amount),
      amounts,
    );
    assert.deepEqual((await shop.merchant.get(`/reconciliation/runs/${run.id}`)).body, run);
  });

  test("keeps what its statement lacked, and says by which line the money has come since", async () => {
    const shop = await open();
    const [late, still] = [await shop.paid(250), await shop.paid(30)];
    const run = await imported(shop.staff, statementOf([DAY, "MYSTERY", "75.50"]));
    const read = async () => (await shop.merchant.get<RunBody>(`/reconciliation/runs/${run.id}`)).body;
    assert.deepEqual(await read(), run);
    assert.ok(run.items.every((item) => !("received" in item)));
    const next = await imported(shop.staff, statementOf(["2027-03-03", "EFT", 250, late.reference]));
    const received = { itemId: next.items[0]?.id, runId: next.id, date: "2027-03-03" };
    const lacking = run.items.find(({ transactionReference }) => transactionReference === late.reference);
    const after = await read();
    assert.deepEqual(after.totals, run.totals);
    assert.deepEqual(
      after.items,
      run.items.map((item) => (item === lacking ? { ...item, received } : item)),
    );
    const shown = (await shop.staff<ItemBody>("GET", `/reconciliation/items/${lacking?.id}`)).body;
    assert.partialDeepStrictEqual(shown, { status: "not_received", received });
    const list = `/reconciliation/items?runId=${run.id}&status=not_received`;
    const { data } = (await shop.staff<{ data: ItemBody[] }>("GET", list)).body;
    const byReference = new Map(data.map((item) => [item.transactionReference, item]));
    assert.deepEqual(byReference.get(late.reference)?.received, received);
    assert.ok(!("received" in (byReference.get(still.reference) ?? {})));
    assert.equal((await shop.staff("POST", `/reconciliation/items/${received.itemId}/unmatch`)).status, 200);
    assert.deepEqual(await read(), run);
  });

  test("finds references in descriptions, however the bank has written them", async () => {
    const shop = await open();
    const orders = [await shop.paid(10), await shop.paid(20), await shop.paid(30), await shop.paid(40)];
    const [a = "", b = "", c = "", d = ""] = orders.map(({ reference }) => reference);
    const run = await imported(
      shop.staff,
      statementOf(
        [DAY, `ACB CREDIT ${a.toLowerCase()} x`, 10],
        [DAY, `PMT ${b.replace("-", " ")}`, 20],
        [DAY, `IB${c.replace("-", "")}THANDI`, 30],
        [DAY, `${d.slice(0, 6)} ${d.slice(6)}`, 40],
      ),
    );
    assert.deepEqual(
      run.items.map(({ transactionReference }) => transactionReference),
      [a, b, c, d],
    );
    assert.deepEqual(await balances(shop), { bank_reconciled: 10_000, revenue: -10_000 });
  });

  test("one line may be several payments, several lines one", async () => {
    const shop = await open();
    const orders = [await shop.paid(10), await shop.paid(20), await shop.paid(90)];
    const [a = "", b = "", c = ""] = orders.map(({ reference }) => reference);
    const run = await imported(shop.staff, statementOf([DAY, `${a} and ${b}`, 30], [DAY, c, 40], [DAY, c, 50]));
    assert.deepEqual(shapes(run.items), [
      ["matched", 30, a],
      ["matched", 40, c],
      ["matched", 50, c],
    ]);
    assert.deepEqual(run.totals["notReceived"], 0);
  });

  test("what does not fit is left to a person", async () => {
    const shop = await open();
    const [once, less, pair] = [await shop.paid(10), await shop.paid(20), await shop.paid(30)];
    const run = await imported(
      shop.staff,
      statementOf(
        [DAY, once.reference, 10],
        [DAY, `again ${once.reference}`, 10],
        [DAY, less.reference, 19],
        [DAY, `${pair.reference} ${less.reference}`, 30],
      ),
    );
    assert.deepEqual(
      run.items.map(({ status }) => status),
      ["matched", "unmatched", "unmatched", "unmatched", "not_received", "not_received"],
    );
  });

  test("amount, date and customer match, when no other line or payment could be meant", async () => {
    const shop = await open();
    const customer = { externalReference: "shop-17" };
    const order = await shop.paid(123.45, { customer });
    await Promise.all([shop.paid(50, { customer }), shop.paid(50, { customer })]);
    const run = await imported(
      shop.staff,
      statementOf(["2027-03-03", "PAYMENT SHOP 17", 123.45], [DAY, "SHOP-17", 50], ["2027-04-03", "SHOP-17", 50]),
    );
    assert.deepEqual(shapes(run.items).slice(0, 3), [
      ["matched", 123.45, order.reference],
      ["unmatched", 50, null],
      ["unmatched", 50, null],
    ]);
  });

  test("bad input is refused whole", async () => {
    const shop = await open();
    const csv = statementOf([DAY, "a", 1], ["2027-02-30", "b", 2]);
    const refused = await importFile(shop.staff, csv);
    assert.deepEqual(refusal(refused), [400, "invalid_request"]);
    assert.match(refused.body.message, /Line 3, column date: 2027-02-30 is not a date/);
    const { body } = await shop.merchant.get<{ data: RunBody[] }>("/reconciliation/runs");
    assert.deepEqual(
      body.data.map(({ status, totals }) => [status, totals["items"]]),
      [["failed", 0]],
    );
    const good = statementOf([DAY, "a", 1]);
    for (const fields of [
      { account: "" },
      { account: "x".repeat(101) },
      { mapping: "{" },
      { mapping: "[]" },
      { periodStart: "x" },
    ])
      assert.equal((await importFile(shop.staff, good, fields)).status, 400, JSON.stringify(fields));
    assert.equal((await importFile(shop.staff, good, { periodStart: DAY, periodEnd: "2027-01-01" })).status, 400);
    assert.equal((await importFile(shop.staff, good, { currency: "USD" })).body.currency, "USD");
  });

  test("a mapping is kept for its account", async () => {
    const shop = await open();
    const csv = (day: string) => `Wanneer,Hoeveel,Wat\n${day},12.00,a\n`;
    assert.equal((await importFile(shop.staff, csv("05/06/2027"))).status, 400);
    const mapping = JSON.stringify({
      date: "Wanneer",
      amount: "Hoeveel",
      description: "Wat",
      dateFormat: "DD/MM/YYYY",
    });
    assert.equal((await imported(shop.staff, csv("05/06/2027"), { mapping })).items[0]?.date, "2027-06-05");
    assert.equal((await imported(shop.staff, csv("06/06/2027"))).items[0]?.date, "2027-06-06");
    assert.equal((await imported(shop.staff, statementOf([DAY, "x", 1]))).totals["items"], 1);
    const { body } = await shop.staff<{ data: object[] }>("GET", "/reconciliation/accounts");
    assert.partialDeepStrictEqual(body.data, [
      { account: "Cheque", mapping: JSON.parse(mapping), through: "2027-06-06" },
    ]);
  });

  test("is shown before: with its columns, what they seem to hold, and the mapping that is kept", async () => {
    const shop = await open();
    type Shown = { problem: string | null; mapping: object; lines: object[]; count: number };
    const preview = (content: string, fields: Readonly<Record<string, string>> = {}) =>
      uploadStatement<Shown>(shop.staff, "/reconciliation/imports/preview", content, fields);
    const csv = "Wanneer,Hoeveel,Wat\n05/06/2027,12.00,a\n";
    const { body } = await preview(csv);
    assert.match(body.problem ?? "", /needs a date and an amount/);
    assert.deepEqual(body.mapping, { date: "Wanneer", amount: "Hoeveel", description: "Wat" });
    const mapping = JSON.stringify({ ...body.mapping, dateFormat: "DD/MM/YYYY" });
    await imported(shop.staff, csv, { mapping });
    const known = await preview(csv.replace("05", "07"), { account: "Cheque" });
    assert.partialDeepStrictEqual(known.body, { problem: null, periodStart: "2027-06-07", lines: [{ amount: 12 }] });
    assert.equal((await preview("%PDF-")).status, 400);
    assert.equal((await preview(csv, { mapping: "{" })).status, 400);
    assert.equal((await shop.merchant.get<{ data: object[] }>("/reconciliation/runs")).body.data.length, 1);
  });

  test("days are South African, the feature and the permission are needed", async () => {
    const shop = await open();
    const run = await imported(shop.staff, statementOf([DAY, "x", 1]));
    const ids = async (query: string) =>
      (await shop.merchant.get<{ data: RunBody[] }>(`/reconciliation/runs?${query}`)).body.data.map(({ id }) => id);
    assert.deepEqual(await ids(`from=${DAY}&to=${DAY}`), [run.id]);
    assert.deepEqual(await ids("from=2027-03-02"), []);
    assert.deepEqual(await ids("to=2027-02-28"), []);
    assert.deepEqual(await ids("source=csv_upload"), [run.id]);
    assert.deepEqual(await ids("source=statement_feed"), []);
    for (const query of ["from=x", "to=2027-02-30", "source=x"])
      assert.deepEqual(refusal(await shop.merchant.get<never>(`/reconciliation/runs?${query}`)), [
        400,
        "invalid_request",
      ]);
    assert.equal((await shop.merchant.get("/reconciliation/runs/rcn_x")).status, 404);
    assert.equal((await (await api.addMerchant()).get(`/reconciliation/runs/${run.id}`)).status, 404);
    const viewer = await shop.merchant.signIn("viewer");
    assert.deepEqual(refusal(await importFile(viewer, statementOf([DAY, "x", 1]))), [403, "permission_required"]);
    await shop.merchant.change({ plan: "growth" });
    assert.deepEqual(refusal(await shop.merchant.get<never>("/reconciliation/runs")), [403, "plan_restricted"]);
    assert.deepEqual(refusal(await importFile(shop.staff, "")), [403, "plan_restricted"]);
  });
});

describe("money that went back, and money that is awaited", () => {
  test("a refund by hand is matched by the reference of its payment", async () => {
    const shop = await open();
    const order = await shop.paid(100);
    await imported(shop.staff, statementOf([DAY, order.reference, 100]));
    const refund = await shop.staff("POST", `/transactions/${order.reference}/refunds`, {
      amount: 40,
      method: "manual",
    });
    assert.equal(refund.status, 201, refund.text);
    const run = await imported(
      shop.staff,
      statementOf([DAY, `REFUND ${order.reference}`, -40], [DAY, `REFUND ${order.reference} B`, -40]),
    );
    assert.deepEqual(
      run.items.map(({ status }) => status),
      ["matched", "unmatched"],
    );
    assert.partialDeepStrictEqual(await balances(shop), { bank_reconciled: 6000 });
    assert.equal((await balances(shop))["bank"], undefined);
  });

  test("an approved transfer stays awaited until a statement shows its money", async () => {
    const shop = await open();
    const order = await shop.paid(100);
    const awaited = async () =>
      (
        await shop.staff<{ data: { transactionReference: string; eftOrderId: string }[] }>(
          "GET",
          "/reconciliation/awaited",
        )
      ).body.data;
    assert.partialDeepStrictEqual(await awaited(), [{ transactionReference: order.reference, eftOrderId: order.id }]);
    await imported(shop.staff, statementOf([DAY, order.reference, 100]));
    assert.deepEqual(await awaited(), []);
  });

  test("what is awaited is read page by page, oldest first, and a cursor of another list is refused", async () => {
    const shop = await open();
    const orders = [await shop.paid(100), await shop.paid(200), await shop.paid(300)];
    type Page = { data: { id: string; transactionReference: string }[]; hasMore: boolean; nextCursor: string | null };
    const list = (query: string) => shop.staff<Page>("GET", `/reconciliation/awaited?limit=2${query}`);
    const { body } = await list("");
    const rest = await list(`&startingAfter=${body.nextCursor}`);
    assert.deepEqual(
      [...body.data, ...rest.body.data].map(({ transactionReference }) => transactionReference),
      orders.map(({ reference }) => reference),
    );
    assert.deepEqual([body.hasMore, rest.body.hasMore, rest.body.nextCursor], [true, false, null]);
    for (const other of ["zzz", orders[0]?.id]) assert.equal((await list(`&startingAfter=${other}`)).status, 400);
  });

  test("a transfer that is not approved yet is proposed, not matched", async () => {
    const shop = await open();
    const order = await addOrder(shop.merchant, { amount: 70 });
    const [item] = (await imported(shop.staff, statementOf([DAY, order.reference, 70]))).items;
    assert.equal(item?.status, "unmatched");
    const { body } = await shop.staff<{ data: { eftOrderId: string | null }[] }>(
      "GET",
      `/reconciliation/items/${item.id}/candidates`,
    );
    assert.equal(body.data[0]?.eftOrderId, order.id);
  });
});
