import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { formTokenIn, openPages, type PageMerchant, type TestPages } from "../../../../test/support/pages.ts";
import { stopClock } from "../../../../test/support/still-clock.ts";
import { createCustomer } from "../../../flows/customers/save-customer.ts";
import { hostedUrl } from "../../../flows/hosted-links.ts";
import { changeSettings } from "../../../flows/organisations/settings.ts";
import { erasePersonalData } from "../../../flows/personal-data/erase-customer.ts";
import { convertQuote } from "../../../flows/quotes/convert-quote.ts";
import { createQuote } from "../../../flows/quotes/create-quote.ts";
import { markQuote, type QuoteMark } from "../../../flows/quotes/mark-quote.ts";
import { QUOTE_PAGE } from "../../../modules/quotes/declarations.ts";
import { QuoteCreate } from "../../../modules/quotes/schema.ts";
import type { Quote } from "../../../modules/quotes/types.ts";

let pages: TestPages;
let shop: PageMerchant;
before(async () => {
  pages = await openPages();
  shop = await pages.addMerchant();
});
after(() => pages.close());

/** A quote that was sent, and the path of its page. */
async function addQuote(body: object = {}, merchant = shop): Promise<{ quote: Quote; path: string }> {
  const ctx = await merchant.ctx();
  const { services } = pages;
  const { id } = merchant.organisation;
  const customer = await services.db.transaction(id, (tx) =>
    createCustomer(tx, ctx, { firstName: "Thandi", lastName: "Nkosi" }),
  );
  const lineItems = [{ description: "Shelves of pine", quantity: 2, unitPrice: 617.25 }];
  const given = { customerId: customer.id, lineItems, send: true, ...body };
  const quote = await services.db.transaction(id, (tx) => createQuote(tx, ctx, QuoteCreate.parse(given)));
  return {
    quote,
    path: new URL(hostedUrl({ ...services, organisation: merchant.organisation }, QUOTE_PAGE, quote.id)).pathname,
  };
}

const act = async (quote: Quote, mark: QuoteMark) => {
  const ctx = await shop.ctx();
  await pages.services.db.transaction(shop.organisation.id, (tx) => markQuote(tx, ctx, quote.id, mark));
};
const answer = async (path: string, action: string) =>
  pages.post(path, { action, formToken: formTokenIn(await pages.get(path)) });
const statusOf = async ({ id }: Quote) =>
  (await pages.query<{ status: string }>("select status from quotes where id = $1", id))[0]?.status;
const eventsOf = async ({ id }: Quote) =>
  (await pages.query<{ type: string }>("select type from events where subject = $1 order by sequence", id)).map(
    ({ type }) => type,
  );

describe("the quote's page", () => {
  test("shows the quote's lines, supplier, customer and last valid day", async () => {
    const { quote, path } = await addQuote({
      issueDate: "2026-11-20",
      expiryDate: "2099-12-04",
      notes: "Delivery within ten days.",
      lineItems: [
        { description: "Shelves of pine", details: "Sanded\nand oiled", quantity: 2, unitPrice: 617.25 },
        { description: "Readers", quantity: 0.5, unitPrice: 12.3456, taxRate: 0 },
      ],
    });
    const page = await pages.get(path);
    assert.deepEqual([page.status, page.heading], [200, `Quote ${quote.number}`]);
    for (const text of [
      "Karoo Books",
      "Thandi Nkosi",
      "20 November 2026",
      "4 December 2099",
      "Shelves of pine",
      "Sanded\nand oiled",
      "2 × R\u00a0617.25",
      "0.5 × R\u00a012.3456",
      "15% VAT",
      "no VAT",
      "R\u00a01\u00a0240.67",
      "R\u00a0185.18",
      "R\u00a01\u00a0425.85",
      "Delivery within ten days.",
      "This is a test. No money moves.",
    ])
      assert.ok(page.text.includes(text), text);
    assert.match(page.text, /name="action" value="accept"[^>]*>Accept the quote<\/button>/);
    assert.match(page.text, /name="action" value="decline"[^>]*>Decline<\/button>/);
  });

  test("has the headers of a page whose URL is the permission, and changes nothing when it is opened", async () => {
    const { quote, path } = await addQuote();
    const { headers } = await pages.get(path);
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.match(headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
    const head = await pages.request("HEAD", path);
    assert.deepEqual([head.status, head.text], [200, ""]);
    const put = await pages.request("PUT", path);
    assert.deepEqual([put.status, put.headers.get("allow")], [405, "GET, HEAD, POST"]);
    assert.equal(await statusOf(quote), "sent");
  });

  test("a token changed in any character is 404, and so is one of another kind or another merchant's", async () => {
    const { path } = await addQuote();
    const never = await pages.get(`/quote/${"A".repeat(64)}`);
    assert.equal(never.status, 404);
    for (let at = "/quote/".length; at < path.length; at += 7) {
      const other = path[at] === "A" ? "B" : "A";
      const page = await pages.get(path.slice(0, at) + other + path.slice(at + 1));
      assert.deepEqual([page.status, page.text], [404, never.text], `character ${at}`);
    }
    const payPath = (await shop.addLink()).path;
    assert.equal((await pages.get(payPath.replace("/pay/", "/quote/"))).status, 404);
    assert.equal((await pages.get(path.replace("/quote/", "/pay/"))).status, 404);
    const theirs = await addQuote({}, await pages.addMerchant());
    const forged = Buffer.concat([
      Buffer.from(path.slice(7), "base64url").subarray(0, 16),
      Buffer.from(theirs.path.slice(7), "base64url").subarray(16),
    ]);
    assert.equal((await pages.get(`/quote/${forged.toString("base64url")}`)).status, 404);
  });

  test("of a draft there is none, nor of one that was moved back to draft", async () => {
    const draft = await addQuote({ send: false });
    assert.equal((await pages.get(draft.path)).status, 404);
    const { quote, path } = await addQuote();
    const formToken = formTokenIn(await pages.get(path));
    await act(quote, "draft");
    assert.equal((await pages.get(path)).status, 404);
    assert.equal((await pages.post(path, { action: "accept", formToken })).status, 404);
    assert.equal(await statusOf(quote), "draft");
  });

  test("offers the quote as a PDF, which a draft does not have", async () => {
    const { quote, path } = await addQuote();
    const [, pdf = ""] = /<a href="([^"]+)">Download the quote \(PDF\)<\/a>/.exec((await pages.get(path)).text) ?? [];
    assert.equal(pdf, `${path}/quote.pdf`);
    const file = await pages.get(pdf);
    assert.equal(file.status, 200);
    assert.equal(file.headers.get("content-type"), "application/pdf");
    assert.match(
      file.headers.get("content-disposition") ?? "",
      new RegExp(`^attachment; filename="${quote.number}.pdf"`),
    );
    await act(quote, "draft");
    assert.equal((await pages.get(pdf)).status, 404);
  });
});

describe("an answer", () => {
  for (const [action, status, said] of [
    ["accept", "accepted", /<h2>Accepted<\/h2>/],
    ["decline", "declined", /<h2>Declined<\/h2>/],
  ] as const)
    test(`${action}: sent to the merchant once, and shown on the page; the same answer again is accepted`, async () => {
      const { quote, path } = await addQuote();
      const formToken = formTokenIn(await pages.get(path));
      for (let time = 0; time < 2; time++) {
        const { status: code, location } = await pages.post(path, { action, formToken });
        assert.deepEqual([code, location], [303, path]);
      }
      const page = await pages.get(path);
      assert.match(page.text, said);
      assert.doesNotMatch(page.text, /<form/);
      assert.deepEqual(
        [await statusOf(quote), await eventsOf(quote)],
        [status, ["quote.created", "quote.sent", `quote.${status}`]],
      );
      const [entry] = await pages.query<{ actor_kind: string; ip: string; after: object }>(
        "select * from audit_log where subject = $1",
        quote.id,
      );
      assert.deepEqual([entry?.actor_kind, entry?.after], ["payer", { status }]);
      assert.match(entry?.ip ?? "", /^10\./);
    });

  test("with a name is the person's: on the page, for the merchant, on the PDF and in the audit log", async () => {
    const { quote, path } = await addQuote();
    const open = await pages.get(path);
    assert.match(open.text, /name="acceptedBy"[^>]* required/);
    assert.match(open.text, /value="decline" formnovalidate/);
    const formToken = formTokenIn(open);
    const long = await pages.post(path, { action: "accept", formToken, acceptedBy: "\u{1F44B}".repeat(101) });
    assert.equal(long.status, 400);
    assert.match(long.text, /Write at most 100 characters/);
    const acceptedBy = "Thandi <b>Nkosi</b> مرحبا";
    const accepted = await pages.post(path, { action: "accept", formToken, acceptedBy: `  ${acceptedBy} ` });
    assert.equal(accepted.status, 303);
    const page = await pages.get(path);
    assert.match(page.text, /Thandi &lt;b&gt;Nkosi&lt;\/b&gt; مرحبا/);
    const [row] = await pages.query<{ accepted_by: string }>("select accepted_by from quotes where id = $1", quote.id);
    assert.equal(row?.accepted_by, acceptedBy);
    const [entry] = await pages.query<{ after: object }>("select after from audit_log where subject = $1", quote.id);
    assert.deepEqual(entry?.after, { status: "accepted", acceptedBy });
    const [event] = await pages.query<{ data: { acceptedBy: string } }>(
      "select data from events where subject = $1 and type = 'quote.accepted'",
      quote.id,
    );
    assert.equal(event?.data.acceptedBy, acceptedBy);
  });

  test("that declines keeps no name", async () => {
    const { quote, path } = await addQuote();
    const formToken = formTokenIn(await pages.get(path));
    const declined = await pages.post(path, { action: "decline", formToken, acceptedBy: "x".repeat(200) });
    assert.equal(declined.status, 303);
    const [row] = await pages.query<{ accepted_by: null }>("select accepted_by from quotes where id = $1", quote.id);
    assert.equal(row?.accepted_by, null);
  });

  test("of two answers at once the first counts, and the other is refused", async () => {
    for (let time = 0; time < 5; time++) {
      const { quote, path } = await addQuote();
      const formToken = formTokenIn(await pages.get(path));
      const both = await Promise.all(["accept", "decline"].map((action) => pages.post(path, { action, formToken })));
      const status = await statusOf(quote);
      const [first, second] = status === "accepted" ? both : both.toReversed();
      assert.deepEqual([first?.status, second?.status], [303, 409]);
      assert.match(second?.text ?? "", new RegExp(`The quote was ${status} in the meantime`));
      assert.deepEqual(await eventsOf(quote), ["quote.created", "quote.sent", `quote.${status}`]);
    }
  });

  for (const [name, fields, headers, status] of [
    ["no action", {}, {}, 400],
    ["an action there is not", { action: "convert" }, {}, 400],
    ["a name that every object has", { action: "constructor" }, {}, 400],
    ["another website's form", { action: "accept" }, { origin: "https://evil.example" }, 403],
    ["a form without its token", { action: "accept", formToken: "x" }, { origin: "null" }, 403],
  ] as const)
    test(`${name}: ${status}, and nothing has changed`, async () => {
      const { quote, path } = await addQuote();
      const formToken = formTokenIn(await pages.get(path));
      const page = await pages.post(path, { formToken, ...fields }, headers);
      assert.equal(page.status, status);
      assert.match(page.text, /role="alert"/);
      assert.deepEqual([await statusOf(quote), (await eventsOf(quote)).length], ["sent", 2]);
    });

  test("comes with Origin: null and the page's token, as browsers send it from a page without a referrer", async () => {
    const { quote, path } = await addQuote();
    const formToken = formTokenIn(await pages.get(path));
    assert.equal((await pages.post(path, { action: "accept", formToken }, { origin: "null" })).status, 303);
    assert.equal(await statusOf(quote), "accepted");
  });

  test("for an erased customer is refused, and the page accepts none", async () => {
    const { quote, path } = await addQuote();
    const formToken = formTokenIn(await pages.get(path));
    const ctx = await shop.ctx();
    await pages.services.db.transaction(shop.organisation.id, (tx) => erasePersonalData(tx, ctx, quote.customer.id));
    for (const action of ["accept", "decline"]) {
      const page = await pages.post(path, { action, formToken });
      assert.equal(page.status, 409);
      assert.match(page.text, /The quote can no longer be (accepted|declined) here/);
    }
    const page = await pages.get(path);
    assert.match(page.text, /<h2>Answers are paused<\/h2>/);
    assert.doesNotMatch(page.text, /<form/);
    assert.equal(await statusOf(quote), "sent");
  });

  test("429 after too many from one address", async (t) => {
    stopClock(t);
    const { quote, path } = await addQuote();
    const from = { "x-forwarded-for": "10.9.8.7" };
    for (let sent = 0; sent < 15; sent++) await pages.post(path, { action: "" }, from);
    const page = await pages.post(path, { action: "accept" }, from);
    assert.deepEqual([page.status, await statusOf(quote)], [429, "sent"]);
    assert.ok(Number(page.headers.get("retry-after")) > 0);
  });
});

describe("a quote that waits for no answer shows the reason, without a form:", () => {
  const invoice = async (quote: Quote) => {
    const ctx = await shop.ctx();
    return pages.services.db.transaction(shop.organisation.id, (tx) => convertQuote(tx, ctx, quote.id, null));
  };

  test("expired, before its status is updated; a late answer is refused", async () => {
    const { quote, path } = await addQuote({ issueDate: "2026-01-01", expiryDate: "2026-01-31" });
    const page = await pages.get(path);
    assert.match(page.text, /This quote has expired/);
    assert.match(page.text, /valid until 31 January 2026/);
    assert.doesNotMatch(page.text, /<form/);
    const late = await answer(path, "accept");
    assert.equal(late.status, 409);
    assert.match(late.text, /The quote has expired, so it can no longer be accepted here/);
    assert.deepEqual(
      [await statusOf(quote), await eventsOf(quote)],
      ["expired", ["quote.created", "quote.sent", "quote.expired"]],
    );
  });

  test("invoiced: with the invoice's number and its pay page, as long as it can be paid", async () => {
    const { quote, path } = await addQuote();
    const { invoice: made } = await invoice(quote);
    const page = await pages.get(path);
    assert.match(page.text, new RegExp(`has become invoice <bdi>${made.number}</bdi>`));
    const [, target = ""] = /<a class="button" href="([^"]+)">Open the invoice/.exec(page.text) ?? [];
    assert.equal((await pages.get(target)).status, 200);
    await pages.query("update payment_links set active = false where invoice_id = $1", made.id);
    assert.doesNotMatch((await pages.get(path)).text, /class="button"/);
  });

  test("accepted and then declined by the merchant's own hand", async () => {
    const { quote, path } = await addQuote();
    await act(quote, "accept");
    assert.match((await pages.get(path)).text, /<h2>Accepted<\/h2>/);
    await act(quote, "decline");
    assert.match((await pages.get(path)).text, /<h2>Declined<\/h2>/);
    assert.equal((await answer(path, "accept")).status, 409);
  });

  test("a read-only account takes no answer", async () => {
    const merchant = await pages.addMerchant();
    const { quote, path } = await addQuote({}, merchant);
    const formToken = formTokenIn(await pages.get(path));
    await pages.query("update organisations set state = 'suspended' where id = $1", merchant.organisation.id);
    const page = await pages.get(path);
    assert.match(page.text, /Answers are paused/);
    assert.doesNotMatch(page.text, /<form/);
    await pages.post(path, { action: "accept", formToken });
    assert.equal(await statusOf(quote), "sent");
  });
});

test("has the merchant's colours and VAT number", async () => {
  const merchant = await pages.addMerchant();
  await pages.services.db.transaction(merchant.organisation.id, async (tx) => {
    const branding = { companyName: "Karoo & Sons", accentColour: "#b4431f", vatNumber: "4123456789" };
    await changeSettings(tx, await merchant.ctx(), { branding });
  });
  const { text } = await pages.get((await addQuote({ taxInclusive: true }, merchant)).path);
  assert.match(text, /Karoo &amp; Sons/);
  assert.match(text, /\/assets\/accent-b4431f\.css/);
  assert.match(text, /4123456789/);
  assert.match(text, /Included VAT at 15%/);
});
