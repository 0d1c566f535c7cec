import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { addTransfers } from "../support/eft.ts";
import { openInvoicing } from "../support/invoices.ts";
import { addActiveMandate, openMandateShop, requestMandate } from "../support/mandates.ts";
import { addPayment, notify, reportedReversal } from "../support/payments.ts";
import { fc } from "../support/property.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const MONTH = "2027-03";

/** A shop whose settings were changed, with staff who look after its books. */
async function open(settings: object = {}) {
  const shop = await openInvoicing(api);
  await addTransfers(shop.merchant);
  const [staff, admin] = [await shop.merchant.signIn("finance"), await shop.merchant.signIn("admin")];
  const set = async (body: object) => assert.equal((await admin("PATCH", "/settings", body)).status, 200);
  await set(settings);
  /** Fields 1, 2, 3, 4, 18 and 20 of the return, in cents. */
  const fields = async (basis: "invoice" | "payments" = "invoice") => {
    const path = `/accounting/vat201/${MONTH}?basis=${basis}`;
    const { body } = await staff<{ figures: { field: string; amount: number }[] }>("GET", path);
    const asked = new Set(["1", "2", "3", "4", "18", "20"]);
    return Object.fromEntries(
      body.figures.flatMap(({ field, amount }) => (asked.has(field) ? [[field, Math.round(amount * 100)]] : [])),
    );
  };
  const linked = async (body: object) => {
    const answer = await shop.merchant.post("/payment-links", { title: "Lesson", amount: 115, ...body });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  /** A payment of 115.00 through a link; answers its reference. */
  const payBy = async (link: Readonly<Record<string, unknown>>) => {
    const reference = await addPayment(api, shop.merchant, shop.account, { linkId: String(link["id"]), cents: 11_500 });
    await shop.complete(reference, 115);
    return reference;
  };
  const refund = async (reference: string, amount: number) => {
    const answer = await staff("POST", `/transactions/${reference}/refunds`, { amount, method: "manual" });
    assert.equal(answer.status, 201, answer.text);
  };
  return { ...shop, staff, admin, set, fields, linked, payBy, refund };
}

const INCLUDED = { paymentsIncludeVat: true };
const NONE = { 1: 0, 2: 0, 3: 0, 4: 0, 18: 0, 20: 0 };
const STANDARD = { ...NONE, 1: 11_500, 4: 1_500, 20: 1_500 };
const UNTAXED = { ...NONE, 2: 11_500 };

for (const [settings, body, shown, expected] of [
  [{}, {}, {}, UNTAXED],
  [{}, { taxRate: 15 }, { taxRate: 15 }, STANDARD],
  [{}, { taxRate: 0 }, { taxRate: 0 }, UNTAXED],
  [{}, { taxExempt: true }, { taxRate: 0, taxExempt: true }, { ...NONE, 3: 11_500 }],
  [INCLUDED, {}, {}, STANDARD],
  [INCLUDED, { taxRate: 0 }, { taxRate: 0 }, UNTAXED],
  [INCLUDED, { taxExempt: true }, { taxRate: 0, taxExempt: true }, { ...NONE, 3: 11_500 }],
  [{ ...INCLUDED, vatRegistered: false }, {}, {}, UNTAXED],
  [{ ...INCLUDED, vatRates: [{ from: "2018-04-01", rate: 25 }] }, {}, {}, { ...NONE, 1: 11_500, 4: 2_300, 20: 2_300 }],
] as const)
  test(`a payment through a link of ${JSON.stringify(body)} with settings ${JSON.stringify(settings)}`, async () => {
    const shop = await open(settings);
    const link = await shop.linked(body);
    const { taxRate, taxExempt } = link;
    assert.deepEqual({ taxRate, taxExempt }, { taxRate: undefined, taxExempt: undefined, ...shown });
    await shop.payBy(link);
    assert.deepEqual(await shop.fields(), expected);
    assert.deepEqual(await shop.fields("payments"), expected);
  });

test("the link decides before its product, and the product before the settings", async () => {
  const shop = await open(INCLUDED);
  const product = await shop.admin<{ id: string }>("POST", "/products", { name: "Book", amount: 115, taxRate: 0 });
  await shop.payBy(await shop.linked({ productId: product.body.id }));
  assert.deepEqual(await shop.fields(), UNTAXED);
  await shop.payBy(await shop.linked({ productId: product.body.id, taxRate: 15 }));
  assert.deepEqual(await shop.fields(), { ...STANDARD, 2: 11_500 });
});

test("what has its own VAT, or none, states none: invoices, subscriptions, whoever is not registered", async () => {
  const shop = await open();
  const invoice = await shop.owe(115);
  for (const stated of [{ taxRate: 15 }, { taxExempt: true }]) {
    const refused = await shop.merchant.post("/payment-links", {
      ...{ title: "Invoice", amount: 115, invoiceId: invoice.id },
      ...stated,
    });
    assert.deepEqual([refused.status, /the invoice has its own VAT/.test(refused.text)], [400, true], refused.text);
  }
  const both = await shop.merchant.post("/payment-links", { title: "X", amount: 1, taxRate: 15, taxExempt: true });
  assert.equal(both.status, 400, both.text);
  await shop.set({ vatRegistered: false });
  const unregistered = await shop.merchant.post("/payment-links", { title: "X", amount: 1, taxRate: 15 });
  assert.match(unregistered.text, /not registered for VAT/);
  assert.equal(unregistered.status, 400);
});

test("a refund takes back its part of the VAT on both bases, and the last cent with the last part", async () => {
  const shop = await open(INCLUDED);
  const reference = await shop.payBy(await shop.linked({}));
  await shop.refund(reference, 23);
  for (const basis of ["invoice", "payments"] as const)
    assert.deepEqual(await shop.fields(basis), { ...STANDARD, 18: 300, 20: 1_200 }, basis);
  await shop.refund(reference, 0.01);
  await shop.refund(reference, 91.99);
  for (const basis of ["invoice", "payments"] as const)
    assert.deepEqual(await shop.fields(basis), { ...STANDARD, 18: 1_500, 20: 0 }, basis);
  assert.deepEqual([(await shop.books())["vat_output"], (await shop.books())["refunds"]], [undefined, 10_000]);
});

test("money that is refunded and then taken back by the bank takes the VAT back once", async () => {
  const shop = await open(INCLUDED);
  const reference = await shop.payBy(await shop.linked({}));
  await shop.refund(reference, 115);
  const { status } = await notify(api, shop.account, { reversal: reportedReversal(reference, { amount: 11_500 }) });
  assert.equal(status, 200);
  for (const basis of ["invoice", "payments"] as const)
    assert.deepEqual(await shop.fields(basis), { ...STANDARD, 18: 1_500, 20: 0 }, basis);
});

test("whatever is refunded and taken back, in whatever order, no more VAT comes back than was paid", async () => {
  const shop = await open(INCLUDED);
  const part = fc.record({ cents: fc.integer({ min: 1, max: 6_000 }), byBank: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
      const reference = await shop.payBy(await shop.linked({}));
      let [refunded, reversed] = [0, 0];
      for (const [index, { cents, byBank }] of parts.entries()) {
        const amount = Math.min(cents, 11_500 - (byBank ? reversed : refunded));
        if (amount <= 0) continue;
        if (byBank) {
          const occurredAt = `2027-01-0${index + 1}T10:00:00.000Z`;
          await notify(api, shop.account, { reversal: reportedReversal(reference, { amount, occurredAt }) });
          reversed += amount;
        } else {
          const answer = await shop.staff("POST", `/transactions/${reference}/refunds`, {
            ...{ amount: amount / 100, method: "manual" },
          });
          // Less may be left after a reversal.
          if (answer.status === 201) refunded += amount;
        }
      }
      const [row] = await api.query<{ vat: string }>(
        `select coalesce(-sum(l.amount_cents), 0) as vat from journal_lines l
           join journal_entries e on e.organisation_id = l.organisation_id and e.id = l.entry_id
          where l.organisation_id = $1 and l.account = 'vat_output' and (e.subject = $2 or e.subject in (
            select r.id from refunds r join transactions t on t.organisation_id = r.organisation_id and t.id = r.transaction_id
             where t.organisation_id = $1 and t.reference = $2
            union all select w.id from reversals w join transactions t on t.organisation_id = w.organisation_id and t.id = w.transaction_id
             where t.organisation_id = $1 and t.reference = $2))`,
        shop.merchant.organisation.id,
        reference,
      );
      const [left, back] = [Number(row?.vat), Math.min(11_500, refunded + reversed)];
      const exact = 1_500 - (1_500 * back) / 11_500;
      assert.ok(left >= 0 && Math.abs(left - exact) <= 1, `${left} of VAT is left, ${exact} expected`);
    }),
    { numRuns: 20 },
  );
});

test("a debit includes the VAT of its mandate, and the link of an unpaid one has it too", async () => {
  const shop = await openMandateShop(api);
  const mandate = await addActiveMandate(shop, { debitDay: 6, amount: 115, taxRate: 15 });
  assert.equal(mandate["taxRate"], 15);
  await addActiveMandate(shop, { debitDay: 6, amount: 230, taxRate: 15 }, { accountNumber: "62900417702" });
  await shop.move("2027-03-12T10:00:00Z");
  const vat = async () => {
    const [row] = await api.query<{ vat: string }>(
      "select -sum(amount_cents) as vat from journal_lines where organisation_id = $1 and account = 'vat_output'",
      shop.shop.organisation.id,
    );
    return Number(row?.vat);
  };
  assert.equal(await vat(), 1_500);
  const unpaid = await shop.staff<{ data: { paymentLinkId: string }[] }>("GET", "/unpaid-debits?open=true");
  const link = await shop.shop.get(`/payment-links/${unpaid.body.data[0]?.paymentLinkId}`);
  assert.equal(link.body["taxRate"], 15, link.text);
  const collecting = await requestMandate(shop, { subscriptionId: "csub_none", taxRate: 15 });
  assert.equal(collecting.status, 400, collecting.text);
});

test("a registered organisation that is made in the dashboard has payments that include VAT; others keep theirs", async () => {
  const shop = await api.addMerchant();
  const owner = await shop.signIn();
  assert.partialDeepStrictEqual((await owner("GET", "/settings")).body, { paymentsIncludeVat: false });
  for (const vatRegistered of [true, false]) {
    const slug = `vat-${String(vatRegistered)}-${shop.organisation.slug}`.slice(0, 60);
    const made = await owner<{ id: string }>("POST", "/organisations", { name: "New", slug, vatRegistered });
    assert.equal(made.status, 201, made.text);
    const [row] = await api.query<{ settings: { paymentsIncludeVat?: boolean } }>(
      "select settings from organisation_settings where organisation_id = $1",
      made.body.id,
    );
    assert.equal(row?.settings.paymentsIncludeVat ?? false, vatRegistered);
  }
});

test("a refund of a supply without VAT reduces its field on both bases", async () => {
  const shop = await open();
  const [untaxed, exempt] = [
    await shop.payBy(await shop.linked({ taxRate: 0 })),
    await shop.payBy(await shop.linked({ taxExempt: true })),
  ];
  await shop.refund(untaxed, 15);
  await shop.refund(exempt, 115);
  for (const basis of ["invoice", "payments"] as const)
    assert.deepEqual(await shop.fields(basis), { ...NONE, 2: 10_000 }, basis);
});

test("a refund of an invoice's payment changes nothing on the invoice basis", async () => {
  const shop = await open();
  const invoice = await shop.owe(115);
  const reference = await shop.payOnline(invoice.id, 115);
  await shop.refund(reference, 15);
  assert.deepEqual(await shop.fields(), { ...NONE, 2: 11_500 });
});
