import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { type Invoicing, openInvoicing } from "../support/invoices.ts";
import { readPdf } from "../support/pdf.ts";
import { closeVerified } from "../support/verified.ts";

/* What a customer would get of an invoice or a quote that is not saved (interface 14.3). */

interface Preview {
  readonly number: string;
  readonly page: string | null;
  readonly mail: { readonly fromName: string; readonly subject: string; readonly html: string };
  readonly pdf: string;
}

let api: TestApi;
let shop: Invoicing;
let owner: StaffCall;
before(async () => {
  api = await openApi();
  shop = await openInvoicing(api);
  owner = await shop.merchant.signIn("owner");
});
after(() => closeVerified(api));

const plain = (text: string) => text.replaceAll("\u00a0", " ");
const textOfPdf = ({ pdf }: Preview) => readPdf(Buffer.from(pdf, "base64")).text;
/** What every table of the organisation holds that creating or sending writes. */
const written = async () =>
  (
    await api.query<{ rows: string }>(
      `select concat_ws(' ', (select count(*) from invoices), (select count(*) from quotes), (select count(*) from emails),
        (select count(*) from events), (select count(*) from audit_log), (select count(*) from payment_links),
        (select string_agg(n::text, ',' order by n::text) from document_numbers n)) as rows`,
    )
  )[0]?.rows;

for (const { kind, lines, page } of [
  { kind: "invoices", lines: "lines", page: /Pay/ },
  { kind: "quotes", lines: "lineItems", page: /Accept the quote/ },
] as const) {
  const line = (description: string, unitPrice: number) => ({ [lines]: [{ description, quantity: 2, unitPrice }] });

  describe(kind, () => {
    test("a new one: number, page, mail and PDF are those that it then gets, and nothing is written", async () => {
      const body = { customerId: shop.customerId, ...line("Shelves of pine", 617.25), notes: "Within ten days" };
      const was = await written();
      const { status, body: preview, text } = await owner<Preview>("POST", `/${kind}/preview`, body);
      assert.equal(status, 200, text);
      assert.equal(await written(), was);
      const { body: made } = await owner<{ number: string; total: number }>("POST", `/${kind}`, body);
      assert.equal(preview.number, made.number);
      assert.equal(made.total, 1419.68);
      for (const shown of [preview.page ?? "", preview.mail.html, textOfPdf(preview)])
        assert.match(plain(shown), /R 1 419\.68/, shown);
      for (const text of ["Shelves of pine", "Within ten days"]) assert.ok(textOfPdf(preview).includes(text), text);
      assert.doesNotMatch(textOfPdf(preview), /Draft/i);
      assert.match(preview.page ?? "", page);
      assert.ok(preview.mail.subject.includes(preview.number), preview.mail.subject);
    });

    test("a changed draft: with its own number, and it stays as it was", async () => {
      const { body: draft } = await owner<{ id: string; number: string }>("POST", `/${kind}`, {
        customerId: shop.customerId,
        ...line("Painting", 50),
      });
      const was = await written();
      const { status, body: preview } = await owner<Preview>("POST", `/${kind}/${draft.id}/preview`, line("Walls", 70));
      assert.equal(status, 200);
      assert.equal(preview.number, draft.number);
      for (const text of ["Walls", "R 161.00"]) assert.ok(textOfPdf(preview).includes(text), text);
      assert.equal(await written(), was);
      assert.deepEqual((await owner("GET", `/${kind}/${draft.id}`)).body, draft);
    });

    test("is refused as creating and changing are, and to who may not write", async () => {
      const of = async (path: string, body: object, call = owner) => (await call("POST", path, body)).status;
      assert.equal(await of(`/${kind}/preview`, { customerId: shop.customerId, [lines]: [] }), 400);
      assert.equal(
        await of(`/${kind}/preview`, { customerId: "cus_00000000000000000000000000", ...line("A", 1) }),
        400,
      );
      assert.equal(await of(`/${kind}/inv_00000000000000000000000000/preview`, line("A", 1)), 404);
      const viewer = await shop.merchant.signIn("viewer");
      assert.equal(await of(`/${kind}/preview`, { customerId: shop.customerId, ...line("A", 1) }, viewer), 403);
    });
  });
}

test("an invoice's preview uses the customer's credit, as sending does", async () => {
  const { body: customer } = await owner<{ id: string }>("POST", "/customers", {
    company: "Mokoena",
    email: "m@example.co.za",
  });
  const credit = await owner("POST", "/credit-notes", { customerId: customer.id, amount: 30, reason: "Overcharged" });
  assert.equal(credit.status, 201, credit.text);
  const { body: preview } = await owner<Preview>("POST", "/invoices/preview", {
    customerId: customer.id,
    lines: [{ description: "Rent", quantity: 1, unitPrice: 100, taxRate: 0 }],
  });
  assert.match(plain(preview.page ?? ""), /R 70\.00/);
  assert.match(textOfPdf(preview), /R 70\.00/);
});

test("several previews at once, and a creation beside them, all succeed and leave no gap", async () => {
  const body = { customerId: shop.customerId, lines: [{ description: "Rent", quantity: 1, unitPrice: 100 }] };
  const before = await shop.create({});
  const done = await Promise.all([
    ...Array.from({ length: 6 }, () => owner<{ number: string }>("POST", "/invoices/preview", body)),
    owner<{ number: string }>("POST", "/invoices", body),
  ]);
  assert.deepEqual(
    done.map(({ status }) => status),
    [...Array.from({ length: 6 }, () => 200), 201],
  );
  const placeOf = (number: string) => Number(/\d+$/.exec(number)?.[0]);
  assert.equal(placeOf(done.at(-1)?.body.number ?? ""), placeOf(before.body.number) + 1);
});
