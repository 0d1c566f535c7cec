import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { mailsOf } from "../support/mails.ts";
import { LINE, NOW, openQuoting, type QuoteAnswer, type Quoting, TODAY } from "../support/quotes.ts";

let api: TestApi;
let shop: Quoting;
let staff: StaffCall;
before(async () => {
  api = await openApi();
  shop = await openQuoting(api);
  staff = await shop.merchant.signIn("support");
});
after(() => api.close());

const post = (path: string, body?: object) => shop.merchant.call<QuoteAnswer>("POST", `/quotes/${path}`, { body });
const OVER = { send: true, issueDate: "2027-02-01", expiryDate: "2027-02-28" };

/** Creates a quote in each status; `over` is a quote whose last day has passed and whose status is not updated yet. */
const MAKE: Readonly<Record<string, () => Promise<QuoteAnswer>>> = {
  draft: async () => (await shop.create()).body,
  sent: async () => (await shop.create({ send: true, expiryDate: TODAY })).body,
  over: async () => (await shop.create(OVER)).body,
  expired: async () => {
    const { body } = await shop.create(OVER);
    await api.query("update quotes set status = 'expired' where id = $1", body.id);
    return (await shop.merchant.get<QuoteAnswer>(`/quotes/${body.id}`)).body;
  },
  accepted: async () => (await post(`${(await shop.create()).body.id}/accept`)).body,
  declined: async () => (await post(`${(await shop.create()).body.id}/decline`)).body,
  invoiced: async () => {
    const { body } = await shop.create();
    await post(`${body.id}/convert`);
    return (await shop.merchant.get<QuoteAnswer>(`/quotes/${body.id}`)).body;
  },
};

const CALLS: Readonly<Record<string, (id: string) => Promise<Answer<QuoteAnswer>>>> = {
  send: (id) => post(`${id}/send`),
  accept: (id) => post(`${id}/accept`),
  decline: (id) => post(`${id}/decline`),
  convert: (id) => post(`${id}/convert`),
  edit: (id) => shop.merchant.call("PATCH", `/quotes/${id}`, { body: { notes: "changed" } }),
  delete: (id) => shop.merchant.call("DELETE", `/quotes/${id}`),
  draft: (id) => staff("POST", `/quotes/${id}/draft`),
};

/** The table of interface 3.4: the next status, "=" when it stays the same without an event, null for 400. */
const GRID: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  draft: {
    send: "sent",
    accept: "accepted",
    decline: "declined",
    convert: "invoiced",
    edit: "draft",
    delete: "gone",
    draft: "=",
  },
  sent: {
    send: "=",
    accept: "accepted",
    decline: "declined",
    convert: "invoiced",
    edit: "sent",
    delete: null,
    draft: "draft",
  },
  expired: {
    send: "sent",
    accept: "accepted",
    decline: "declined",
    convert: "invoiced",
    edit: null,
    delete: null,
    draft: "draft",
  },
  accepted: {
    send: null,
    accept: null,
    decline: "declined",
    convert: "invoiced",
    edit: null,
    delete: null,
    draft: null,
  },
  declined: { send: null, accept: null, decline: null, convert: null, edit: null, delete: null, draft: null },
  invoiced: { send: null, accept: null, decline: null, convert: null, edit: null, delete: null, draft: null },
};
const EVENTS: Readonly<Record<string, string>> = {
  send: "quote.sent",
  accept: "quote.accepted",
  decline: "quote.declined",
  convert: "quote.invoiced",
  edit: "quote.updated",
  draft: "quote.updated",
};
const MARKS: Readonly<Record<string, string>> = { send: "sentAt", accept: "acceptedAt", decline: "declinedAt" };

for (const [from, cells] of Object.entries({ ...GRID, over: GRID["expired"] ?? {} }))
  describe(`a quote that is ${from}`, () => {
    for (const [name, to] of Object.entries(cells))
      test(`${name}: ${to === "=" ? "unchanged" : (to ?? "400")}`, async () => {
        const quote = await (MAKE[from] ?? assert.fail(from))();
        const told = await shop.eventsOf(quote.id);
        const answer = await (CALLS[name] ?? assert.fail(name))(quote.id);
        const now = await shop.merchant.get<QuoteAnswer>(`/quotes/${quote.id}`);
        const events = (await shop.eventsOf(quote.id)).slice(told.length).map(({ type }) => type);
        if (to === null || to === "=") {
          if (to === null)
            assert.deepEqual([answer.status, answer.body["error"]], [400, "invalid_request"], answer.text);
          else assert.deepEqual([answer.status, answer.body], [200, quote]);
          assert.deepEqual([now.body, events], [quote, []], "nothing has changed, and nobody was told");
        } else if (to === "gone") {
          const { id, number } = quote;
          assert.deepEqual([answer.status, answer.body], [200, { object: "quote", id, number, deleted: true }]);
          assert.deepEqual([now.status, events], [404, []]);
          assert.equal((await shop.merchant.get(`/quotes/${number}`)).status, 404);
        } else {
          assert.equal(answer.status, name === "convert" ? 201 : 200, answer.text);
          const shown = name === "convert" ? answer.body["quote"] : answer.body;
          assert.deepEqual(shown, now.body, "the answer is the quote as it is now");
          assert.equal(now.body.status, to);
          assert.deepEqual(events, [...(from === "over" ? ["quote.expired"] : []), EVENTS[name]]);
          const mark = MARKS[name];
          if (mark) assert.equal(now.body[mark], NOW);
        }
      });
  });

describe("sending", () => {
  test("a draft or an expired quote clears an expiry date that has passed, and no other", async () => {
    for (const [expiryDate, kept] of [
      ["2027-02-28", null],
      [TODAY, "2027-03-01T21:59:59.999Z"],
    ] as const) {
      const { body } = await shop.create({ issueDate: "2027-02-01", expiryDate });
      assert.equal((await post(`${body.id}/send`)).body.expiryDate, kept);
    }
    const { id } = await (MAKE["over"] ?? assert.fail())();
    const { body } = await post(`${id}/send`);
    assert.deepEqual([body.status, body.expiryDate], ["sent", null]);
  });

  test("mails the customer each time it moves to sent, and not when it is sent already", async () => {
    const { body } = await shop.create();
    const mails = async () =>
      (await mailsOf(api.services, shop.merchant.organisation, { kind: "quote", q: body.number })).length;
    assert.equal(await mails(), 0);
    await post(`${body.id}/send`);
    await post(`${body.id}/send`);
    assert.equal(await mails(), 1);
    await staff("POST", `/quotes/${body.id}/draft`);
    await post(`${body.id}/send`);
    assert.equal(await mails(), 2);
  });

  test("takes the number in place of the id, and an Idempotency-Key", async () => {
    const { body } = await shop.create();
    const sent = { headers: { "idempotency-key": "send-1" } };
    const first = await shop.merchant.post<QuoteAnswer>(`/quotes/${body.number}/send`, undefined, sent);
    assert.deepEqual([first.status, first.body.id, first.body.status], [200, body.id, "sent"]);
    await post(`${body.number}/decline`);
    const again = await shop.merchant.post<QuoteAnswer>(`/quotes/${body.number}/send`, undefined, sent);
    assert.deepEqual([again.status, again.text], [200, first.text]);
  });
});

describe("PATCH", () => {
  const patch = (id: string, body: object) => shop.merchant.call<QuoteAnswer>("PATCH", `/quotes/${id}`, { body });
  const whole = {
    expiryDate: "2027-03-31",
    periodStart: "2027-04-01",
    periodEnd: "2027-04-30",
    notes: "As discussed",
  };

  test("fields left out keep their value", async () => {
    const { body } = await shop.create(whole);
    const { status, body: after } = await patch(body.number, {});
    assert.deepEqual([status, after], [200, body]);
  });

  const CHANGES: [string, object, object][] = [
    ["expiryDate cleared", { expiryDate: null }, { expiryDate: null }],
    ["notes cleared", { notes: null }, { notes: null }],
    ["both period dates cleared", { periodStart: null, periodEnd: null }, { periodStart: null, periodEnd: null }],
    ["one of two period dates moved", { periodEnd: "2027-05-31" }, { periodEnd: "2027-05-31" }],
    ["the way of writing prices", { taxInclusive: true }, { subtotal: 86.96, taxAmount: 13.04, total: 100 }],
    ["every line replaced", { lineItems: [{ ...LINE, quantity: 1 }] }, { total: 57.5 }],
    ["currency", { currency: "EUR" }, { currency: "EUR" }],
    ["issueDate", { issueDate: "2027-03-02" }, { issueDate: "2027-03-01T22:00:00.000Z" }],
    ["unknown fields, and send, ignored", { send: true, status: "accepted" }, { status: "draft" }],
  ];
  for (const [name, change, shown] of CHANGES)
    test(name, async () => {
      const { body } = await shop.create({ ...whole, lineItems: [LINE] });
      const { status, body: after } = await patch(body.id, change);
      assert.equal(status, 200, JSON.stringify(after));
      for (const [field, value] of Object.entries(shown)) assert.deepEqual(after[field], value, field);
      const untouched = Object.keys(body).filter(
        (field) => !(field in { ...change, ...shown }) && field !== "updatedAt",
      );
      for (const field of untouched)
        if (!("lineItems" in change || "taxInclusive" in change)) assert.deepEqual(after[field], body[field], field);
      assert.deepEqual((await shop.merchant.get(`/quotes/${body.id}`)).body, after);
      assert.deepEqual((await shop.eventsOf(body.id)).at(-1), { type: "quote.updated", data: after });
    });

  test("another customer", async () => {
    const { body: customer } = await shop.merchant.post<{ id: string }>("/customers", { externalReference: "shop-18" });
    const { body } = await shop.create();
    const { body: after } = await patch(body.id, { customerExternalReference: "shop-18" });
    assert.deepEqual(after["customer"], { id: customer.id, externalReference: "shop-18", email: null });
  });

  const REFUSED: [string, object][] = [
    ["expiry before issue", { expiryDate: "2027-02-28" }],
    ["issue after expiry", { issueDate: "2027-04-01" }],
    ["one period date cleared", { periodStart: null }],
    ["a period that ends first", { periodEnd: "2027-03-31" }],
    ["a total of 0", { lineItems: [{ ...LINE, unitPrice: 0 }] }],
    ["no lines", { lineItems: [] }],
    ["lines null", { lineItems: null }],
    ["currency null", { currency: null }],
    ["two customers", { customerId: "cus_x", customerExternalReference: "shop-17" }],
    ["an unknown customer", { customerId: "cus_x" }],
    ["a date that does not exist", { expiryDate: "2027-02-30" }],
  ];
  for (const [name, change] of REFUSED)
    test(`400: ${name}`, async () => {
      const { body } = await shop.create(whole);
      const { status, body: refusal } = await patch(body.id, change);
      assert.deepEqual([status, refusal["error"]], [400, "invalid_request"]);
      assert.deepEqual((await shop.merchant.get(`/quotes/${body.id}`)).body, body);
    });
});

describe("a quote's last day", () => {
  const expiryWork = (id: string) =>
    api.query<{ due_at: Date }>("select due_at from due_work where kind = 'quote.expire' and subject = $1", id);

  test("expires at midnight in South Africa: quote.expired once, even when nobody opens it", async () => {
    const own = await openQuoting(api);
    const owner = await own.merchant.signIn();
    const move = (now: string) => owner<{ ran: Record<string, number> }>("POST", "/test-clock", { now });
    const { body: quote } = await own.create({ send: true, expiryDate: "2027-03-03" });
    const { body: endless } = await own.create({ send: true });
    const status = async (id = quote.id) => (await own.merchant.get<QuoteAnswer>(`/quotes/${id}`)).body.status;
    await move("2027-03-03T21:59:59.999Z");
    assert.equal(await status(), "sent");
    const { body: moved } = await move("2027-03-03T22:00:00Z");
    assert.equal(moved.ran["quote.expire"], 1);
    assert.deepEqual([await status(), await status(endless.id)], ["expired", "sent"]);
    const events = await own.eventsOf(quote.id);
    assert.deepEqual(
      events.map(({ type }) => type),
      ["quote.created", "quote.sent", "quote.expired"],
    );
    assert.deepEqual(events.at(-1)?.data, (await own.merchant.get(`/quotes/${quote.id}`)).body);
    await move("2027-06-01T00:00:00Z");
    assert.deepEqual([await status(endless.id), (await own.eventsOf(quote.id)).length], ["sent", 3]);
  });

  test("is seen by reads and lists before anything has written it down", async () => {
    const own = await openQuoting(api);
    const { body: over } = await own.create({ ...OVER });
    const { body: open } = await own.create({ send: true });
    const ids = async (status: string) =>
      (await own.merchant.get<{ data: QuoteAnswer[] }>(`/quotes?status=${status}`)).body.data.map(({ id }) => id);
    assert.deepEqual([await ids("sent"), await ids("expired")], [[open.id], [over.id]]);
    assert.equal((await own.merchant.get<QuoteAnswer>(`/quotes/${over.id}`)).body.status, "expired");
    const [row] = await api.query<{ status: string }>("select status from quotes where id = $1", over.id);
    assert.equal(row?.status, "sent", "reads write nothing");
  });

  test("is waited for while the quote is sent, and no longer", async () => {
    const { body } = await shop.create({ expiryDate: "2027-03-31" });
    const due = async () => (await expiryWork(body.id)).map(({ due_at }) => due_at.toISOString());
    assert.deepEqual(await due(), []);
    await post(`${body.id}/send`);
    assert.deepEqual(await due(), ["2027-03-31T22:00:00.000Z"]);
    await shop.merchant.call("PATCH", `/quotes/${body.id}`, { body: { expiryDate: "2027-04-30" } });
    assert.deepEqual(await due(), ["2027-04-30T22:00:00.000Z"]);
    await shop.merchant.call("PATCH", `/quotes/${body.id}`, { body: { expiryDate: null } });
    assert.deepEqual(await due(), []);
    await shop.merchant.call("PATCH", `/quotes/${body.id}`, { body: { expiryDate: TODAY } });
    assert.deepEqual(await due(), ["2027-03-01T22:00:00.000Z"]);
    await post(`${body.id}/accept`);
    assert.deepEqual(await due(), []);
  });
});

test("accepted and declined at once: both are told what the quote is, and it is one of them", async () => {
  const { body } = await shop.create({ send: true });
  const answers = await Promise.all([post(`${body.id}/accept`), post(`${body.id}/decline`)]);
  const events = (await shop.eventsOf(body.id)).slice(2).map(({ type }) => type);
  // An accepted quote may be declined (interface 3.4), a declined one may not be accepted.
  assert.ok(
    JSON.stringify(events) === JSON.stringify(["quote.accepted", "quote.declined"])
      ? answers.every(({ status }) => status === 200)
      : JSON.stringify([events, answers[0]?.status]) === JSON.stringify([["quote.declined"], 400]),
    JSON.stringify([events, answers]),
  );
});

test("20 sends at once are one: one event, one mail", async () => {
  const { body } = await shop.create();
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(`${body.id}/send`)));
  assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
  assert.deepEqual(
    (await shop.eventsOf(body.id)).map(({ type }) => type),
    ["quote.created", "quote.sent"],
  );
  const mails = await mailsOf(api.services, shop.merchant.organisation, { q: body.number });
  assert.equal(mails.length, 1);
});

test("404: a quote of another organisation, by id and number, whatever is done to it", async () => {
  const other = await openQuoting(api);
  const { body } = await other.create();
  await shop.create();
  for (const call of Object.values(CALLS)) {
    const { status, body: refusal } = await call(body.id);
    assert.deepEqual([status, refusal["error"]], [404, "not_found"]);
  }
  assert.equal((await shop.merchant.get("/quotes/QUO-999999")).status, 404);
  assert.equal((await other.merchant.get<QuoteAnswer>(`/quotes/${body.id}`)).body.status, "draft");
});

test("the audit log has who moved it, and from what to what", async () => {
  const { body } = await shop.create({ send: true });
  await staff("POST", `/quotes/${body.number}/draft`);
  const [entry] = await api.query<{ action: string; actor_kind: string; before: object; after: object }>(
    "select * from audit_log where subject = $1 order by id desc limit 1",
    body.id,
  );
  assert.deepEqual(
    [entry?.action, entry?.actor_kind, entry?.before, entry?.after],
    ["POST /quotes/{id}/draft", "member", { status: "sent" }, { status: "draft" }],
  );
});

test("staff are told the address of the page that the customer reads; a draft has none, and others' quotes are not told", async () => {
  const { body } = await shop.create({});
  const pageOf = async (call: typeof staff) =>
    (await call<{ payerUrl: string | null }>("GET", `/related-records?subject=${body.id}`)).body.payerUrl;
  assert.equal(await pageOf(staff), null);
  await staff("POST", `/quotes/${body.id}/send`);
  const shown = await api.call("GET", new URL(String(await pageOf(staff))).pathname, { key: null });
  assert.equal(shown.status, 200);
  assert.match(shown.text, new RegExp(body.number));
  const other = await api.addMerchant();
  assert.equal(await pageOf(await other.signIn("owner")), null);
});
