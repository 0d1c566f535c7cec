import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { issuePaths, openApi, type Refusal, type TestApi } from "../support/api.ts";
import { type CreditNoteAnswer, type InvoiceAnswer, LINE, openInvoicing } from "../support/invoices.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** What each line says of its VAT. */
const vatOf = (lines: unknown) =>
  (lines as readonly Record<string, unknown>[]).map((line) => ["taxRate", "taxExempt"].map((name) => line[name]));
/** How a price can be given, and what it says then; null: it is refused. The organisation's rate is 15. */
const PRICES: readonly (readonly [given: object, shown: readonly [number, true | undefined] | null])[] = [
  [{}, [15, undefined]],
  [{ taxExempt: false }, [15, undefined]],
  [{ taxRate: 0 }, [0, undefined]],
  [{ taxRate: 0, taxExempt: false }, [0, undefined]],
  [{ taxExempt: true }, [0, true]],
  [{ taxRate: 0, taxExempt: true }, [0, true]],
  [{ taxRate: 15, taxExempt: true }, null],
  [{ taxRate: 1.5, taxExempt: true }, null],
  [{ taxExempt: "yes" }, null],
  [{ taxExempt: 1 }, null],
];
const TAKEN = PRICES.flatMap(([given, shown]) => (shown ? [{ given, shown }] : []));
const REFUSED = PRICES.flatMap(([given, shown]) => (shown ? [] : [given]));
const SHOWN = TAKEN.map(({ shown }) => [...shown]);

async function open() {
  const shop = await openInvoicing(api);
  const staff = await shop.merchant.signIn("admin");
  const lines = TAKEN.map(({ given }) => ({ ...LINE, ...given }));
  return { ...shop, staff, lines };
}

test("lines of an invoice: the mark is there when it is true, is kept, and needs a rate of 0", async () => {
  const shop = await open();
  const { status, body, text } = await shop.create({ lines: shop.lines, send: true });
  assert.equal(status, 201, text);
  assert.deepEqual(vatOf(body.lines), SHOWN);
  assert.deepEqual(Object.keys(body.lines[2] ?? {}), ["description", "quantity", "unitPrice", "taxRate", "amount"]);
  assert.deepEqual(await shop.show(body.id), body);
  for (const given of REFUSED) {
    const refused = await shop.create<Refusal>({ lines: [LINE, { ...LINE, ...given }] });
    assert.deepEqual([refused.status, refused.body.error], [400, "invalid_request"], JSON.stringify(given));
    assert.deepEqual(issuePaths(refused), ["lines.1.taxExempt"]);
  }
  const { body: told } = await shop.create<Refusal>({ lines: [{ ...LINE, taxRate: 15, taxExempt: true }] });
  assert.match(JSON.stringify(told.issues), /send taxRate 0, or leave taxRate out/);
});

test("line items of a quote: kept when it is created, changed, and converted, with prices of either kind", async () => {
  const shop = await open();
  for (const taxInclusive of [false, true]) {
    const body = { customerId: shop.customerId, lineItems: [LINE], taxInclusive };
    const { body: quote } = await shop.merchant.post("/quotes", { ...body, lineItems: shop.lines });
    assert.deepEqual(vatOf(quote["lineItems"]), SHOWN);
    const { body: other } = await shop.merchant.post("/quotes", body);
    const patched = await shop.merchant.call("PATCH", `/quotes/${other["id"]}`, { body: { lineItems: shop.lines } });
    assert.deepEqual(vatOf(patched.body["lineItems"]), SHOWN);
    const converted = await shop.merchant.post<{ invoice: InvoiceAnswer }>(`/quotes/${other["id"]}/convert`, {});
    assert.deepEqual(vatOf(converted.body.invoice.lines), SHOWN);
    for (const given of REFUSED)
      for (const [method, path] of [
        ["POST", "/quotes"],
        ["PATCH", `/quotes/${quote["id"]}`],
      ] as const) {
        const sent = { body: { ...body, lineItems: [{ ...LINE, ...given }] } };
        const refused = await shop.merchant.call<Refusal>(method, path, sent);
        assert.deepEqual([refused.status, issuePaths(refused)], [400, ["lineItems.0.taxExempt"]]);
      }
  }
});

test("lines of a credit note: their own mark, else that of the note", async () => {
  const shop = await open();
  const credit = (body: object) =>
    shop.staff<CreditNoteAnswer>("POST", "/credit-notes", { customerId: shop.customerId, reason: "Wrong", ...body });
  const lines = TAKEN.map(({ given }) => ({ amount: 2, ...given }));
  const { status, body, text } = await credit({ lines });
  assert.equal(status, 201, text);
  assert.deepEqual(vatOf(body["lines"]), SHOWN);
  assert.deepEqual((await shop.merchant.get(`/credit-notes/${body.id}`)).body, body);
  const { body: exempt } = await credit({ lines, taxExempt: true });
  assert.deepEqual(vatOf(exempt["lines"]).slice(0, 3), [
    [0, true],
    [0, undefined],
    [0, undefined],
  ]);
  for (const given of REFUSED) {
    const line = await shop.staff<Refusal>("POST", "/credit-notes", { reason: "x", lines: [{ amount: 1, ...given }] });
    assert.deepEqual([line.status, issuePaths(line)], [400, ["lines.0.taxExempt"]]);
    const note = await shop.staff<Refusal>("POST", "/credit-notes", { reason: "x", amount: 1, ...given });
    assert.deepEqual([note.status, issuePaths(note)], [400, ["taxExempt"]]);
  }
});

test("a credit note without lines is exempt when it says so, or when all of the invoice that it corrects is", async () => {
  const shop = await open();
  const mark = async (lines: readonly object[], given: object = {}) => {
    const { body: invoice } = await shop.create({ lines, send: true });
    const asked = { invoiceId: invoice.id, reason: "Wrong", amount: 1, ...given };
    const { body, text } = await shop.staff<CreditNoteAnswer>("POST", "/credit-notes", asked);
    assert.ok(body.id, text);
    const [row] = await api.query<{ rate: string | null; exempt: boolean }>(
      "select tax_rate as rate, tax_exempt as exempt from credit_notes where id = $1",
      body.id,
    );
    assert.equal(body["taxExempt"], row?.exempt ? true : undefined);
    return [row?.rate == null ? null : Number(row.rate), row?.exempt];
  };
  const [exempt, zero] = [
    { ...LINE, taxExempt: true },
    { ...LINE, taxRate: 0 },
  ];
  assert.deepEqual(await mark([exempt, exempt]), [0, true]);
  assert.deepEqual(await mark([exempt, zero]), [null, false], "some of it is not: a line of each");
  assert.deepEqual(await mark([exempt, LINE]), [null, false], "rates differ: a line of each");
  assert.deepEqual(await mark([exempt], { taxRate: 0 }), [0, true], "a rate of 0 names what is exempt, too");
  const refused = async (line: object, given: object) => {
    const { body: invoice } = await shop.create({ lines: [line], send: true });
    const asked = { invoiceId: invoice.id, reason: "Wrong", amount: 1, ...given };
    const answer = await shop.staff<Refusal>("POST", "/credit-notes", asked);
    assert.deepEqual([answer.status, issuePaths(answer)], [400, ["taxRate"]], answer.text);
  };
  await refused(exempt, { taxExempt: false });
  await refused(LINE, { taxExempt: true });
});

test("files for accounting software have the code of what is exempt, which can be changed", async () => {
  const shop = await open();
  await shop.create({ lines: [{ ...LINE, taxExempt: true }, LINE, { ...LINE, taxRate: 0 }], send: true });
  const lines = [
    { amount: 1, taxExempt: true },
    { amount: 1, taxRate: 0 },
  ];
  for (const body of [{ lines }, { amount: 1, taxExempt: true }])
    await shop.staff("POST", "/credit-notes", { customerId: shop.customerId, reason: "Wrong", ...body });
  const codes = async (software: string, what: string) => {
    const path = `/exports/${software}/${what}.csv?from=2027-03-01&to=2027-03-31`;
    const { text } = await shop.staff("GET", path);
    const all = /Exempt(?: Sales)?|Zero(?: Rate Sales)?|Standard(?: Rate Sales)?|Out of scope/g;
    return text
      .split("\r\n")
      .slice(1)
      .flatMap((row) => row.match(all) ?? []);
  };
  assert.deepEqual(await codes("xero", "invoices"), ["Exempt Sales", "Standard Rate Sales", "Zero Rate Sales"]);
  assert.deepEqual(await codes("xero", "credit-notes"), ["Exempt Sales", "Zero Rate Sales", "Exempt Sales"]);
  assert.deepEqual(await codes("sage", "invoices"), ["Exempt", "Standard", "Zero"]);
  assert.deepEqual(await codes("quickbooks", "credit-notes"), ["Exempt", "Zero", "Exempt"]);
  const changed = await shop.staff("PATCH", "/accounting/software/sage", { taxCodes: { exempt: "Out of scope" } });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(await codes("sage", "invoices"), ["Out of scope", "Standard", "Zero"]);
});
