import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { postForm } from "../support/cards.ts";
import { openSubscriptionShop } from "../support/customer-subscriptions.ts";
import { openInvoicing } from "../support/invoices.ts";
import { addMandate, issueAgreement, openMandateShop } from "../support/mandates.ts";
import { openStandIn, type StandIn } from "../support/payments.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 14.2: what happened to a record, and what staff wrote about it. */

let gateway: StandIn;
let api: TestApi;
before(async () => {
  gateway = await openStandIn();
  api = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
});
after(() => closeVerified(api).finally(() => gateway.close()));

interface Entry {
  readonly id: string;
  readonly kind: "event" | "change" | "mail" | "note" | "made";
  readonly [field: string]: unknown;
}
interface Page {
  readonly data: readonly Entry[];
  readonly nextCursor: string | null;
}
const timeline = async (staff: StaffCall, subject: string, rest = "") => {
  const answer = await staff<Page>("GET", `/timeline?subject=${subject}${rest}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const brief = ({ kind, type, action, mail, text }: Entry) => `${kind} ${type ?? action ?? mail ?? text}`;

describe("the timeline of a record", () => {
  test("tells events with their deliveries, changes with who made them, mails and notes, newest first", async () => {
    const shop = await openInvoicing(api);
    const staff = await shop.merchant.signIn();
    const invoice = await shop.owe(100);
    await staff("POST", "/notes", { subject: invoice.id, text: "Will pay on Friday." });
    await staff("POST", `/invoices/${invoice.id}/payments`, { amount: 40, method: "eft" });
    const { data } = await timeline(staff, invoice.id);
    assert.deepEqual(data.map(brief), [
      "change POST /invoices/{id}/payments",
      "event invoice.partially_paid",
      "note Will pay on Friday.",
      "change POST /invoices",
      "mail invoice",
      "event invoice.sent",
    ]);
    assert.deepEqual(
      data.filter(({ kind }) => kind === "change").map(({ actor }) => (actor as { kind: string }).kind),
      ["member", "key"],
    );
    const changed = (data[0]?.["changed"] ?? []) as { field: string }[];
    assert.deepEqual(
      changed.map(({ field }) => field),
      ["amountDue", "amountPaid", "status"],
    );
  });

  test("tells the deliveries of its events", async () => {
    const shop = await openInvoicing(api);
    const staff = await shop.merchant.signIn();
    const invoice = await shop.owe(100);
    await shop.payOffline(invoice.id, 100);
    const [event] = (await timeline(staff, invoice.id)).data.filter(({ kind }) => kind === "event");
    await api.query(
      `insert into webhook_deliveries (organisation_id, id, event_id, event_type, subject, endpoint_id, body, status, created_at)
       values ($1, 'whd_01m83ea2yczjenzy17sf1ssnww', $2, $3, $4, 'we_1', '{}', 'parked', now())`,
      shop.merchant.organisation.id,
      event?.id,
      event?.["type"],
      invoice.id,
    );
    const [again] = (await timeline(staff, invoice.id)).data.filter(({ id }) => id === event?.id);
    assert.deepEqual(again?.["deliveries"], [
      { id: "whd_01m83ea2yczjenzy17sf1ssnww", endpointId: "we_1", status: "parked", attempts: 0 },
    ]);
    await api.query("delete from webhook_deliveries where organisation_id = $1", shop.merchant.organisation.id);
  });

  test("has pages that together are the whole, without a gap or a repeat", async () => {
    const shop = await openInvoicing(api);
    const staff = await shop.merchant.signIn();
    const invoice = await shop.owe(100);
    for (let i = 0; i < 4; i++) {
      await staff("POST", "/notes", { subject: invoice.id, text: `Note ${i}` });
      await staff("POST", `/invoices/${invoice.id}/payments`, { amount: 5, method: "cash" });
    }
    const whole = (await timeline(staff, invoice.id, "&limit=100")).data.map(({ id }) => id);
    assert.ok(whole.length >= 12);
    for (const limit of [1, 2, 5]) {
      const found: string[] = [];
      for (let cursor = ""; ; ) {
        const page = await timeline(staff, invoice.id, `&limit=${limit}${cursor}`);
        found.push(...page.data.map(({ id }) => id));
        if (page.nextCursor === null) break;
        cursor = `&startingAfter=${page.nextCursor}`;
      }
      assert.deepEqual(found, whole, `pages of ${limit}`);
    }
  });

  test("of a payment is found by its reference", async () => {
    const shop = await openInvoicing(api);
    const staff = await shop.merchant.signIn();
    const reference = await shop.payOnline((await shop.owe(50)).id, 50);
    await staff("POST", `/transactions/${reference}/refunds`, { amount: 10, method: "manual", reason: "Late" });
    const { data } = await timeline(staff, reference);
    const told = data.map(brief);
    for (const entry of ["event payment.complete", "change POST /transactions/{reference}/refunds"])
      assert.ok(told.includes(entry), `${entry} among ${told.join(", ")}`);
  });

  test("of a mandate tells who signed it, and the mails of its agreements", async () => {
    const shop = await openMandateShop(api);
    const staff = await shop.shop.signIn();
    const mandate = await addMandate(shop);
    const { path } = await issueAgreement(shop, mandate, { email: true });
    await postForm(api, path, { fullName: "T Nkosi", accept: "yes", action: "sign" });
    const { data } = await timeline(staff, String(mandate["id"]));
    const told = new Set(data.map(brief));
    for (const mail of ["mandate_agreement", "mandate_agreement_signed", "mandate_agreement_signed_staff"])
      assert.ok(told.has(`mail ${mail}`), mail);
    const signed = data.find(({ action }) => action === "POST /sign-mandate/{token}");
    assert.partialDeepStrictEqual(signed, {
      actor: { kind: "payer" },
      changed: [{ field: "stage", before: "awaiting_signature", after: "active" }],
    });
  });

  test("begins with who made the record and of which other one, unless its own entry says so", async () => {
    const { shop: merchant, staff, customer, addPlan, subscribe, move, invoices } = await openSubscriptionShop(api);
    const viewer = await merchant.signIn("viewer");
    const made = async (subject: string, call = staff, rest = "") =>
      (await timeline(call, subject, rest)).data.filter(({ kind }) => kind === "made");
    const lineItems = [{ description: "Painting", quantity: 1, unitPrice: 100 }];
    const quote = await staff<{ id: string }>("POST", "/quotes", { customerId: customer, lineItems });
    assert.deepEqual(await made(quote.body.id), [], "its own entry says who made it");
    const converted = await merchant.post<{ invoice: { id: string } }>(`/quotes/${quote.body.id}/convert`, {});
    const invoice = converted.body.invoice.id;
    const [first] = await made(invoice);
    assert.partialDeepStrictEqual(first, { id: invoice, from: quote.body.id, actor: { kind: "key" } });
    assert.equal((await timeline(staff, invoice)).data.at(-1)?.kind, "made");
    assert.deepEqual(await made(invoice, viewer), [first], "who reads the audit log is told who");
    const whole = (await timeline(staff, invoice)).data;
    const last = whole.at(-2)?.id;
    assert.deepEqual((await timeline(staff, invoice, `&startingAfter=${last}`)).data, [first]);
    const subscription = await subscribe({ planId: await addPlan() });
    await move("2027-03-01");
    const [renewal, own] = await invoices(String(subscription.id));
    for (const [billed, kind] of [
      [renewal, "system"],
      [own, "key"],
    ] as const)
      assert.partialDeepStrictEqual(await made(String(billed?.["id"])), [{ from: subscription.id, actor: { kind } }]);
  });

  test("of a payment tells that its payer made it, and where", async () => {
    const shop = await openInvoicing(api);
    const staff = await shop.merchant.signIn();
    const reference = await shop.payOnline((await shop.owe(50)).id, 50);
    const { data } = await timeline(staff, reference);
    assert.partialDeepStrictEqual(data.at(-1), { kind: "made", actor: { kind: "payer" } });
    assert.match(String(data.at(-1)?.["from"]), /^plink_/);
  });

  test("is empty for another organisation, and refuses no subject", async () => {
    const shop = await openInvoicing(api);
    const invoice = await shop.owe(10);
    const other = await (await api.addMerchant()).signIn();
    assert.deepEqual((await timeline(other, invoice.id)).data, []);
    assert.equal((await other("GET", "/timeline")).status, 400);
    assert.equal((await other("GET", `/timeline?subject=${"x".repeat(500)}`)).status, 400);
    assert.equal((await other("GET", `/timeline?subject=a&startingAfter=inv_1`)).status, 400);
  });
});

describe("notes", () => {
  test("are written by who may, about records that exist", async () => {
    const shop = await openInvoicing(api);
    const [owner, viewer] = [await shop.merchant.signIn(), await shop.merchant.signIn("viewer")];
    const other = await (await api.addMerchant()).signIn();
    const { id } = await shop.owe(10);
    const made = await owner("POST", "/notes", { subject: id, text: "<b>Hello</b> \u202eabc" });
    assert.equal(made.status, 201, made.text);
    assert.partialDeepStrictEqual(made.body, { subject: id, text: "<b>Hello</b> \u202eabc" });
    assert.equal((await viewer("POST", "/notes", { subject: id, text: "a" })).status, 403);
    for (const [call, subject] of [
      [owner, "inv_00000000000000000000000000"],
      [owner, "Thandi"],
      [other, id],
    ] as const)
      assert.equal((await call("POST", "/notes", { subject, text: "a" })).status, 404, subject);
    for (const body of [{}, { subject: id }, { subject: id, text: "" }, { subject: id, text: "x".repeat(5001) }])
      assert.equal((await owner("POST", "/notes", body)).status, 400);
    assert.equal((await timeline(viewer, id)).data[0]?.["text"], "<b>Hello</b> \u202eabc");
    const audit = await owner("GET", `/audit-log?action=POST%20/notes`);
    assert.doesNotMatch(audit.text, /Hello/, "what it says is in the note alone");
  });

  test("are written about every kind of record that has a page", async () => {
    const merchant = await api.addMerchant();
    const [owner, other] = [await merchant.signIn(), await (await api.addMerchant()).signIn()];
    const idOf = async (path: string, body: object) => {
      const made = await owner<{ id: string }>("POST", path, body);
      assert.equal(made.status, 201, made.text);
      return made.body.id;
    };
    const records = [
      (await merchant.addGateway()).id,
      await idOf("/products", { name: "Coffee", amount: 10 }),
      await idOf("/packages", { name: "Gym" }),
      await idOf("/coupons", { code: "TEN", percent: 10 }),
      await idOf("/webhook-endpoints", { url: "https://shop.example/hook" }),
    ];
    for (const subject of records) {
      assert.equal((await owner("POST", "/notes", { subject, text: "a" })).status, 201, subject);
      assert.equal((await other("POST", "/notes", { subject, text: "a" })).status, 404, subject);
    }
    for (const subject of ["gw_unknown", "constructor_x", "__proto__", "_"])
      assert.equal((await owner("POST", "/notes", { subject, text: "a" })).status, 404, subject);
  });

  test("are deleted by who wrote them, an owner or an admin", async () => {
    const shop = await openInvoicing(api);
    const [owner, support, finance] = await Promise.all(
      (["owner", "support", "finance"] as const).map((role) => shop.merchant.signIn(role)),
    );
    assert.ok(owner && support && finance);
    const { id } = await shop.owe(10);
    const write = async (by: StaffCall) => (await by<Entry>("POST", "/notes", { subject: id, text: "a" })).body.id;
    const [first, second] = [await write(support), await write(support)];
    assert.equal((await finance("DELETE", `/notes/${first}`)).status, 403);
    assert.equal((await support("DELETE", `/notes/${first}`)).status, 200);
    assert.equal((await support("DELETE", `/notes/${first}`)).status, 404);
    assert.equal((await owner("DELETE", `/notes/${second}`)).status, 200);
    assert.ok((await timeline(owner, id)).data.every(({ kind }) => kind !== "note"));
  });
});
