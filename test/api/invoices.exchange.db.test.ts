import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { openSubscriptionShop } from "../support/customer-subscriptions.ts";
import { type InvoiceAnswer, type Invoicing, LINE, openInvoicing } from "../support/invoices.ts";
import { mailsOf } from "../support/mails.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 2.5, exchange: invoices in another currency than the rand, with their amounts in rand. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const RATE = { rate: 18.501234, date: "2027-02-26", source: "SARB" };
interface Refused {
  readonly message: string;
  readonly issues: { readonly path: unknown[] }[];
}

async function opened() {
  const stage = await openInvoicing(api);
  const staff = await stage.merchant.signIn("owner");
  return { ...stage, staff };
}
type Stage = Invoicing & { readonly staff: StaffCall };

const setRates = async ({ staff }: Pick<Stage, "staff">, exchangeRates: object[]) => {
  const { status, body, text } = await staff<{ exchangeRates: unknown }>("PATCH", "/settings", { exchangeRates });
  assert.equal(status, 200, text);
  return body.exchangeRates;
};
const inRand = ({ exchange, taxAmountZar, totalZar }: InvoiceAnswer) => [exchange, taxAmountZar, totalZar];
const vat = async ({ staff }: Pick<Stage, "staff">, basis: string, period = "2027-03") => {
  const { body } = await staff<{ figures: { field: string; amount: number }[]; otherCurrencies: string[] }>(
    "GET",
    `/accounting/vat201/${period}?basis=${basis}`,
  );
  const of = (field: string) => body.figures.find((one) => one.field === field)?.amount;
  return { 1: of("1"), 4: of("4"), 18: of("18"), others: body.otherCurrencies };
};

describe("an invoice in another currency", () => {
  test("has the rate that is given, and its amounts in rand to the cent", async () => {
    const stage = await opened();
    const { status, body, text } = await stage.create({ currency: "USD", exchange: RATE });
    assert.equal(status, 201, text);
    // 15.00 and 115.00 dollars.
    assert.deepEqual(inRand(body), [RATE, 277.52, 2127.64]);
    assert.deepEqual(inRand(await stage.show(body.id)), inRand(body));
    const { body: list } = await stage.merchant.get<{ data: InvoiceAnswer[] }>("/invoices");
    assert.deepEqual(list.data.map(inRand), [inRand(body)]);
  });

  test("has them in the export too", async () => {
    const stage = await opened();
    await stage.create({ currency: "USD", exchange: RATE });
    await stage.create();
    const { text } = await stage.merchant.get("/exports/invoices.csv");
    const [head = [], ...rows] = text
      .trim()
      .split("\r\n")
      .map((line) => line.split(","));
    const columns = ["exchangeRate", "exchangeDate", "exchangeSource", "taxAmountZar", "totalZar"];
    const cells = rows.map((row) => columns.map((name) => row[head.indexOf(name)]));
    assert.deepEqual(cells, [
      ["18.501234", "2027-02-26", "SARB", "277.52", "2127.64"],
      ["", "", "", "", ""],
    ]);
  });

  test("in rand has none of it", async () => {
    const stage = await opened();
    const { body } = await stage.create();
    assert.deepEqual(
      ["exchange", "taxAmountZar", "totalZar"].filter((name) => name in body),
      [],
    );
    const refused = await stage.create<Refused>({ exchange: RATE });
    assert.deepEqual([refused.status, refused.body.issues[0]?.path], [400, ["exchange"]]);
  });

  test("takes the settings' rate of its currency, unless it has its own", async () => {
    const stage = await opened();
    const given = [
      { currency: "usd", ...RATE },
      { currency: "EUR", rate: 20, source: "Our bank" },
    ];
    assert.deepEqual(await setRates(stage, given), [
      { currency: "USD", ...RATE },
      { currency: "EUR", rate: 20, date: "2027-03-01", source: "Our bank" },
    ]);
    assert.deepEqual(inRand((await stage.create({ currency: "USD" })).body), [RATE, 277.52, 2127.64]);
    const own = { rate: 10, date: "2027-03-01", source: "Agreed" };
    assert.deepEqual(inRand((await stage.create({ currency: "USD", exchange: own })).body), [own, 150, 1150]);
    await setRates(stage, []);
    assert.equal((await stage.create({ currency: "EUR" })).status, 400);
  });

  test("without a rate is refused to a VAT vendor, and has none for others", async () => {
    const stage = await opened();
    const refused = await stage.create<Refused>({ currency: "USD" });
    assert.deepEqual([refused.status, refused.body.issues[0]?.path], [400, ["exchange"]]);
    assert.match(refused.body.message, /exchange/);
    await stage.staff("PATCH", "/settings", { vatRegistered: false });
    const { body } = await stage.create({ currency: "USD" });
    assert.deepEqual([body.taxAmount, ...inRand(body)], [0, null, null, null]);
    const given = await stage.create({ currency: "USD", exchange: RATE });
    assert.deepEqual(inRand(given.body), [RATE, 0, 1850.12]);
  });

  for (const [what, exchange, path] of [
    ["a rate of zero", { ...RATE, rate: 0 }, ["exchange", "rate"]],
    ["a rate below zero", { ...RATE, rate: -1 }, ["exchange", "rate"]],
    ["a rate as text", { ...RATE, rate: "18.5" }, ["exchange", "rate"]],
    ["seven decimals", { ...RATE, rate: 1.1234567 }, ["exchange", "rate"]],
    ["no rate", { date: RATE.date, source: RATE.source }, ["exchange", "rate"]],
    ["no date", { rate: 1, source: "SARB" }, ["exchange", "date"]],
    ["a date that is none", { ...RATE, date: "2027-02-30" }, ["exchange", "date"]],
    ["a day to come", { ...RATE, date: "2027-03-02" }, ["exchange", "date"]],
    ["no source", { rate: 1, date: RATE.date }, ["exchange", "source"]],
    ["an empty source", { ...RATE, source: " " }, ["exchange", "source"]],
    ["a number", 18.5, ["exchange"]],
  ] as const)
    test(`is refused with ${what}`, async () => {
      const stage = await opened();
      const refused = await stage.create<Refused>({ currency: "USD", exchange });
      assert.deepEqual([refused.status, refused.body.issues[0]?.path], [400, path]);
    });

  test("settings refuse a rate of the rand, of one currency twice, and of no currency", async () => {
    const stage = await opened();
    for (const exchangeRates of [
      [{ currency: "ZAR", ...RATE }],
      [
        { currency: "USD", ...RATE },
        { currency: "usd", ...RATE },
      ],
      [{ currency: "USDX", ...RATE }],
      [{ ...RATE }],
      [{ currency: "USD", ...RATE, rate: 0 }],
      { USD: RATE },
    ])
      assert.equal(
        (await stage.staff("PATCH", "/settings", { exchangeRates })).status,
        400,
        JSON.stringify(exchangeRates),
      );
  });

  test("changes with its draft, and is copied at today's rate", async () => {
    const stage = await opened();
    const patch = (id: string, body: object) =>
      stage.merchant.call<InvoiceAnswer>("PATCH", `/invoices/${id}`, { body });
    const { body: draft } = await stage.create();
    assert.equal((await patch(draft.id, { currency: "USD" })).status, 400);
    assert.deepEqual(inRand((await patch(draft.id, { currency: "USD", exchange: RATE })).body), [
      RATE,
      277.52,
      2127.64,
    ]);
    assert.deepEqual(inRand((await patch(draft.id, { notes: "x" })).body)[0], RATE);
    const own = { ...RATE, rate: 20 };
    assert.deepEqual(inRand((await patch(draft.id, { exchange: own })).body), [own, 300, 2300]);
    assert.equal((await patch(draft.id, { exchange: null })).status, 400);
    const copied = await stage.act(draft.id, "duplicate");
    assert.deepEqual(inRand(copied.body), [own, 300, 2300]);
    await setRates(stage, [{ currency: "USD", ...RATE }]);
    assert.deepEqual(inRand((await stage.act(draft.id, "duplicate")).body), [RATE, 277.52, 2127.64]);
    assert.deepEqual(inRand((await patch(draft.id, { exchange: null })).body)[0], RATE);
    const back = await patch(draft.id, { currency: "ZAR" });
    assert.deepEqual([back.status, "exchange" in back.body], [200, false]);
  });

  test("counts in the VAT return in rand, on both bases", async () => {
    const stage = await opened();
    const { body: one } = await stage.create({ currency: "USD", exchange: RATE, send: true });
    const { body: rand } = await stage.create({ send: true });
    assert.deepEqual(await vat(stage, "invoice"), { 1: 2242.64, 4: 292.52, 18: 0, others: [] });
    assert.deepEqual(await vat(stage, "payments"), { 1: 0, 4: 0, 18: 0, others: [] });
    await stage.payOffline(one.id, 40);
    await stage.payOffline(one.id, 75);
    await stage.payOffline(rand.id, 115);
    assert.deepEqual(await vat(stage, "payments"), { 1: 2242.64, 4: 292.52, 18: 0, others: [] });
    const { body: two } = await stage.create({ currency: "USD", exchange: { ...RATE, rate: 2 }, send: true });
    await stage.act(two.id, "cancel");
    assert.deepEqual(await vat(stage, "invoice"), { 1: 2472.64, 4: 322.52, 18: 30, others: [] });
    const note = await stage.staff("POST", "/credit-notes", {
      customerId: stage.customerId,
      invoiceId: one.id,
      amount: 115,
      reason: "Returned",
    });
    assert.equal(note.status, 201, note.text);
    assert.equal((await vat(stage, "invoice"))[18], 307.52);
  });
});

describe("a renewal in a currency without a rate", () => {
  test("is billed all the same; staff are told once a day, and the settings' next rate fills it in", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan({ currency: "USD", amount: 10 });
    const { id } = await shop.subscribe({ planId });
    await shop.subscribe({ planId });
    const shown = async () => (await shop.invoices(id)).map(({ exchange }) => exchange);
    assert.deepEqual(await shown(), [null]);
    const mails = async () =>
      (await mailsOf(api.services, shop.shop.organisation, { kind: "staff_alert" })).map(({ subject }) => subject);
    await shop.move("2027-02-01");
    assert.equal((await mails()).length, 1);
    assert.match(String((await mails())[0]), /exchange rate of USD/);
    await shop.move("2027-03-01");
    assert.deepEqual(await shown(), [null, null]);
    assert.equal((await mails()).length, 2);
    assert.deepEqual((await vat(shop, "invoice", "2027-02")).others, ["USD"]);
    const rate = { rate: 20, date: "2027-02-26", source: "SARB" };
    await setRates(shop, [{ currency: "USD", ...rate }]);
    assert.deepEqual(await shown(), [rate, rate]);
    const { others, ...figures } = await vat(shop, "invoice", "2027-02");
    assert.deepEqual([others, figures[4]], [[], 60]);
    await setRates(shop, [{ currency: "USD", ...rate, rate: 21 }]);
    assert.deepEqual(await shown(), [rate, rate]);
  });

  test("a quote is converted without one, and its draft is not sent before there is one", async () => {
    const stage = await opened();
    const { body: quote } = await stage.merchant.post<{ id: string }>("/quotes", {
      customerId: stage.customerId,
      currency: "USD",
      lineItems: [LINE],
      send: true,
    });
    const converted = await stage.merchant.post<{ invoice: { id: string } }>(`/quotes/${quote.id}/convert`, {});
    assert.equal(converted.status, 201, converted.text);
    const { id } = converted.body.invoice;
    const refused = await stage.act<Refused>(id, "send");
    assert.deepEqual([refused.status, refused.body.issues[0]?.path], [400, ["exchange"]]);
    const { body } = await stage.merchant.call<InvoiceAnswer>("PATCH", `/invoices/${id}`, { body: { exchange: RATE } });
    assert.deepEqual(inRand(body)[0], RATE);
    assert.equal((await stage.act(id, "send")).status, 200);
  });
});
