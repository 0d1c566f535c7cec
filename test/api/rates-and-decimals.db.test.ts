import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ApiMerchant, openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 2.1 and 2.5: rates are in percent, and amounts have the decimals of their currency, wherever a body has them. */

let api: TestApi;
let shop: ApiMerchant;
let staff: StaffCall;
let customer: string;
let packageId: string;
before(async () => {
  api = await openApi();
  shop = await api.addMerchant();
  staff = await shop.signIn("owner");
  customer = (await shop.post<{ id: string }>("/customers", { email: "thandi@example.co.za" })).body.id;
  packageId = (await shop.post<{ id: string }>("/packages", { name: "Hosting" })).body.id;
});
after(() => closeVerified(api));

const line = (fields: object) => ({ description: "Coffee", quantity: 1, unitPrice: 100, ...fields });
const PLAN = { name: "Gold", frequency: "monthly", amount: 100 };
type Asked = { readonly status: number; readonly body: { readonly issues?: { path: unknown[]; message: string }[] } };

const RATES: readonly [what: string, ask: (rate: number) => Promise<Asked>, path: unknown[]][] = [
  [
    "an invoice",
    (taxRate) => shop.post("/invoices", { customerId: customer, lines: [line({ taxRate })] }),
    ["lines", 0, "taxRate"],
  ],
  [
    "a quote",
    (taxRate) => shop.post("/quotes", { customerId: customer, lineItems: [line({ taxRate })] }),
    ["lineItems", 0, "taxRate"],
  ],
  ["a plan", (taxRate) => shop.post(`/packages/${packageId}/plans`, { ...PLAN, taxRate }), ["taxRate"]],
  ["a product", (taxRate) => staff("POST", "/products", { name: "Beans", amount: 100, taxRate }), ["taxRate"]],
  [
    "a credit note",
    (taxRate) => staff("POST", "/credit-notes", { customerId: customer, amount: 10, reason: "Late", taxRate }),
    ["taxRate"],
  ],
];
for (const [what, ask, path] of RATES)
  test(`a rate of ${what} between 0 and 1 is refused, with the hint that rates are percent`, async () => {
    for (const rate of [0.15, 0.9999]) {
      const { status, body } = await ask(rate);
      assert.equal(status, 400, JSON.stringify(body));
      assert.deepEqual(
        body.issues?.map((issue) => [issue.path, issue.message]),
        [[path, "is in percent: send 15 for 15 %, not 0.15"]],
      );
    }
    for (const rate of [0, 1, 15]) assert.equal((await ask(rate)).status, 201, String(rate));
  });

const link = (fields: object) => shop.post("/payment-links", { title: "Deposit", ...fields });
const plan = (fields: object) => shop.post(`/packages/${packageId}/plans`, { ...PLAN, ...fields });
const invoiceIn = (currency: string, unitPrice: number, taxRate: number) =>
  shop.post("/invoices", {
    customerId: customer,
    currency,
    lines: [line({ unitPrice, taxRate })],
    exchange: { rate: 0.12, date: "2026-06-30", source: "SARB" },
  });
const AMOUNTS: readonly [what: string, ask: () => Promise<Asked>, refused: unknown[] | null][] = [
  ["whole yen", () => plan({ amount: 1000, currency: "JPY" }), null],
  ["yen with decimals", () => link({ amount: 1000.5, currency: "jpy" }), ["amount"]],
  [
    "recurring yen with decimals",
    () => link({ amount: 10, currency: "JPY", recurring: { frequency: "monthly", amount: 1.5 } }),
    ["recurring", "amount"],
  ],
  ["dinars that cents hold", () => plan({ amount: 1.25, currency: "KWD" }), null],
  ["dinars with three decimals", () => plan({ amount: 1.234, currency: "KWD" }), ["amount"]],
  ["rand with three decimals, rounded as ever", () => plan({ amount: 1.234, currency: "ZAR" }), null],
  ["a plan's set-up fee", () => plan({ currency: "JPY", setupFee: 0.5 }), ["setupFee"]],
  ["a line that comes to whole yen", () => invoiceIn("JPY", 100, 15), null],
  ["a line whose VAT comes to less than a yen, and is rounded", () => invoiceIn("JPY", 105, 15), null],
  ["a line of a part of a yen", () => invoiceIn("JPY", 105.5, 0), ["lines", 0]],
  ["a line in dinars that cents cannot hold", () => invoiceIn("KWD", 10.125, 0), ["lines", 0]],
];
for (const [what, ask, refused] of AMOUNTS)
  test(`${what}: ${refused ? "refused" : "taken"}`, async () => {
    const { status, body } = await ask();
    assert.equal(status, refused ? 400 : 201, JSON.stringify(body));
    assert.deepEqual(body.issues?.[0]?.path ?? null, refused);
  });
