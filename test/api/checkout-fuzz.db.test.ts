import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { openApi, type TestApi } from "../support/api.ts";
import { openSale, openSaleShop, type SaleShop, salePath } from "../support/checkout.ts";
import { fc } from "../support/property.ts";
import { closeVerified } from "../support/verified.ts";

/* For any form and any query the pages of a checkout answer with a page or lead on, never with an internal error. */

const RUNS = 120;
const NAMES = [
  "email",
  "firstName",
  "lastName",
  "phone",
  "company",
  "couponCode",
  "plan",
  "gateway",
  "card",
  "amount",
  "terms",
  "session",
  "formToken",
  "action",
  "__proto__",
];
const TEXTS = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "%_\\",
  "' or 1=1 --",
  "💸".repeat(60),
  "x".repeat(5_000),
  "__proto__",
  "1e400",
  "-1",
];
const ACTIONS = ["", "apply_coupon", "pay_card", "confirm", "constructor"];

let api: TestApi;
let sale: SaleShop;
let pages: string[];
let known: Record<string, string>;
before(async () => {
  api = await openApi();
  sale = await openSaleShop(api);
  const { stage, addPlan, addProduct, addSession, packagePage } = sale;
  const plan = await addPlan({});
  await addPlan({ name: "Trial", trialDays: 7 });
  const product = await addProduct();
  await stage.staff("POST", "/coupons", { code: "TEN", percent: 10 });
  const session = await addSession({ productId: product, couponCode: "TEN" });
  const { pathname, search } = new URL(String(session["checkoutUrl"]));
  pages = [
    packagePage,
    salePath(stage, "product", product),
    `${pathname}${search}`,
    `${pathname}/card/card_x${search}`,
  ];
  const { text } = await openSale(stage, packagePage);
  known = {
    email: "thandi@example.co.za",
    firstName: "Thandi",
    plan,
    gateway: stage.account.id,
    couponCode: "TEN",
    session: /name="session" value="([^"]+)"/.exec(text)?.[1] ?? "",
  };
});
after(() => closeVerified(api));

const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: "binary", maxLength: 40 }));
const action = fc.oneof(fc.constantFrom(...ACTIONS), text);
const forms = fc
  .array(fc.tuple(fc.constantFrom(...NAMES), text), { maxLength: 3 })
  .chain((given) => fc.tuple(fc.constant(given), fc.boolean(), fc.option(action, { nil: undefined })));

const encoded = (fields: readonly (readonly [string, string])[]): string =>
  fields.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join("&");

test("any form", async () => {
  const property = fc.asyncProperty(forms, fc.nat(), async ([given, fits, pressed], at) => {
    const fields = [
      ...(fits ? Object.entries(known) : []),
      ...given,
      ...(pressed === undefined ? [] : [["action", pressed] as const]),
    ];
    const answer = await api.call<unknown>("POST", pages[at % pages.length] ?? "", {
      body: encoded(fields),
      headers: { "content-type": "application/x-www-form-urlencoded", origin: api.baseUrl },
    });
    assert.ok(answer.status < 500, `${answer.status} ${answer.text}`);
    assert.ok([200, 303, 400, 403, 404, 409, 429].includes(answer.status), String(answer.status));
  });
  await fc.assert(property, { numRuns: RUNS });
});

test("any query, cookie and path", async () => {
  const property = fc.asyncProperty(
    fc.constantFrom("plan", "session", "ref", "couponCode"),
    text,
    fc.nat(),
    async (name, value, at) => {
      const base = [...pages, `/c/${sale.stage.shop.organisation.slug}/success`][at % (pages.length + 1)] ?? "";
      const answer = await api.call<unknown>(
        "GET",
        `${base}${base.includes("?") ? "&" : "?"}${encoded([[name, value]])}`,
        {
          headers: { cookie: `tefo_portal=${"A".repeat(64)}` },
        },
      );
      assert.ok(answer.status < 500, `${answer.status} ${answer.text}`);
    },
  );
  await fc.assert(property, { numRuns: RUNS });
});
