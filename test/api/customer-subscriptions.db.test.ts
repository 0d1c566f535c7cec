import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openSubscriptionShop, type ShownSubscription } from "../support/customer-subscriptions.ts";
import { mailsOf } from "../support/mails.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.8 and 2.13: creating customer subscriptions, and finding them. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const AT_ONCE = 20;
const PATH = "/customer-subscriptions";
const counts = (of: string) =>
  api.query(
    `select (select count(*) from customer_subscriptions where organisation_id = $1)::integer as subscriptions,
            (select count(*) from invoices where organisation_id = $1)::integer as invoices,
            (select count(*) from events where organisation_id = $1 and type like 'subscription.%')::integer as events,
            (select count(*) from idempotency_keys where organisation_id = $1)::integer as keys`,
    of,
  );

describe("a new subscription", () => {
  test("has one invoice wherever it is shown, with the reason of each line", async () => {
    const shop = await openSubscriptionShop(api);
    const { id } = await shop.subscribe({ planId: await shop.addPlan({ taxInclusive: true }) });
    const shownByIts = async (path: string) => (await shop.shop.get<Record<string, unknown>>(path)).body;
    const [invoice = {}] = await shop.invoices(id);
    const [{ amount, details, reason } = {}] = invoice["lines"] as Record<string, unknown>[];
    assert.deepEqual([amount, details], [86.96, "R\u00a0100.00 with VAT is R\u00a086.96 without it."]);
    const { id: _version, ...why } = reason as Record<string, unknown>;
    const price = { kind: "plan", name: "Gold", quantity: 1, unitAmount: 100, replaces: null, parts: null };
    assert.deepEqual(why, { ...price, days: { billed: 28, of: 28 }, full: 100, less: [] });
    const path = `/invoices/${invoice["id"]}`;
    assert.deepEqual(await shownByIts(path), invoice);
    assert.deepEqual((await shownByIts("/invoices"))["data"], [invoice]);
    assert.deepEqual((await shop.staff("GET", path)).body, invoice);
    assert.deepEqual((await shop.staff<{ data: unknown[] }>("GET", "/invoices")).body.data, [invoice]);
    const paying = await shop.shop.post<typeof invoice>(`${path}/payments`, { amount: 40, method: "cash" });
    assert.deepEqual(paying.body["lines"], invoice["lines"]);
    const cancelled = await shop.shop.post<typeof invoice>(`${path}/cancel`, {});
    assert.deepEqual(cancelled.body["lines"], invoice["lines"]);
    const told = await api.query<{ type: string; lines: unknown }>(
      "select type, data -> 'lines' as lines from events where organisation_id = $1 and subject = $2 order by id",
      shop.shop.organisation.id,
      invoice["id"],
    );
    assert.deepEqual(told, [
      { type: "invoice.created", lines: invoice["lines"] },
      { type: "invoice.sent", lines: invoice["lines"] },
      { type: "invoice.partially_paid", lines: invoice["lines"] },
      { type: "invoice.cancelled", lines: invoice["lines"] },
    ]);
  });

  test("is active, and its first period is invoiced and mailed, each line with its reason", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan({ setupFee: 50 });
    const items = [{ code: "seats", kind: "addon", description: "Extra seats", unitAmount: 10, quantity: 3 }];
    const { created, ...subscription } = await shop.subscribe({ planId, quantity: 2, items, metadata: { a: 1 } });
    assert.equal(created, true);
    const { id, createdAt, items: shown, lastInvoice, ...rest } = subscription;
    assert.match(id, /^csub_[0-9a-z]{26}$/);
    assert.equal(createdAt, "2027-01-31T08:00:00.000Z");
    const [{ id: itemId, ...item } = { id: "" }] = shown as { id: string }[];
    assert.deepEqual(item, { code: "seats", kind: "addon", description: "Extra seats", unitAmount: 10, quantity: 3 });
    assert.deepEqual(rest, {
      object: "customer_subscription",
      status: "active",
      customer: { id: shop.customer, externalReference: "T1", email: "thandi@example.co.za" },
      plan: { id: planId, name: "Gold", packageId: shop.packageId, packageName: "Hosting" },
      collectionMethod: "invoice",
      collectedByService: true,
      billedBy: null,
      billingPeriod: "monthly",
      currency: "ZAR",
      amount: 230,
      quantity: 2,
      startDate: "2027-01-31",
      trialEnd: null,
      billingAnchorDay: null,
      currentPeriodStart: "2027-01-31",
      currentPeriodEnd: "2027-02-27",
      nextBillingAt: "2027-02-27T22:00:00.000Z",
      cyclesBilled: 1,
      pendingChange: null,
      payment: { due: true, url: null },
      card: null,
      mandateId: null,
      cancelAtPeriodEnd: false,
      cancelReason: null,
      pausedAt: null,
      cancelledAt: null,
      credit: 0,
      discounts: [],
      coupon: null,
      externalReference: null,
      metadata: { a: "1" },
      source: "api",
    });
    assert.deepEqual(await shop.now(id), subscription);
    const [invoice = {}, ...others] = await shop.invoices(id);
    assert.deepEqual(others, []);
    const { id: invoiceId, number, dueDate } = invoice;
    assert.deepEqual(lastInvoice, {
      id: invoiceId,
      number,
      status: "sent",
      total: 322,
      amountDue: 322,
      dueDate: "2028-01-31",
    });
    assert.equal(dueDate, "2028-01-30T22:00:00.000Z");
    const { status, subtotal, taxAmount, total, periodStart, periodEnd, charge, cycle } = invoice;
    assert.deepEqual(
      { status, subtotal, taxAmount, total, periodStart, periodEnd, charge, cycle },
      {
        status: "sent",
        subtotal: 280,
        taxAmount: 42,
        total: 322,
        periodStart: "2027-01-31",
        periodEnd: "2027-02-27",
        charge: "first",
        cycle: 1,
      },
    );
    const lines = invoice["lines"] as {
      amount: number;
      reason: { kind: string; full: number; quantity: number; id: string };
    }[];
    assert.deepEqual(
      lines.map(({ reason: { full } }) => full),
      lines.map(({ amount }) => amount),
    );
    assert.deepEqual(
      lines.map(({ reason: { kind, quantity } }) => [kind, quantity]),
      [
        ["plan", 2],
        ["addon", 3],
        ["setup_fee", 1],
      ],
    );
    assert.equal(lines[1]?.reason.id, itemId);
    assert.deepEqual((await shop.shop.get(`/invoices/${invoice["id"]}`)).body, invoice);
    assert.equal((await mailsOf(api.services, shop.shop.organisation, { kind: "invoice" })).length, 1);
    const events = await shop.events(id);
    assert.deepEqual(
      events.map(({ type }) => type),
      ["subscription.created", "subscription.activated"],
    );
    for (const { data } of events) assert.deepEqual(data, { ...subscription, invoice });
  });

  test("collected by hand has an invoice that is not sent", async () => {
    const shop = await openSubscriptionShop(api);
    const { id, status } = await shop.subscribe({ planId: await shop.addPlan(), collectionMethod: "manual" });
    assert.equal(status, "active");
    const [invoice] = await shop.invoices(id);
    assert.deepEqual([invoice?.["status"], invoice?.["total"]], ["draft", 115]);
    assert.deepEqual(await mailsOf(api.services, shop.shop.organisation, { kind: "invoice" }), []);
  });

  const STARTS: readonly [what: string, plan: object, body: object, expected: object, invoiced: readonly number[]][] = [
    ["free", { amount: 0 }, {}, { status: "active", cyclesBilled: 1 }, []],
    [
      "with the plan's trial",
      { trialDays: 14 },
      {},
      { status: "trialing", trialEnd: "2027-02-13", nextBillingAt: "2027-02-13T22:00:00.000Z", cyclesBilled: 0 },
      [],
    ],
    ["without the plan's trial", { trialDays: 14 }, { trialDays: 0 }, { status: "active", trialEnd: null }, [115]],
    [
      "that starts later",
      {},
      { startDate: "2027-03-10T22:30:00Z" },
      {
        status: "scheduled",
        startDate: "2027-03-11",
        currentPeriodStart: null,
        nextBillingAt: "2027-03-10T22:00:00.000Z",
      },
      [],
    ],
    [
      "that starts later with a trial",
      { trialDays: 7 },
      { startDate: "2027-03-11" },
      { status: "scheduled", trialEnd: "2027-03-17", nextBillingAt: "2027-03-17T22:00:00.000Z" },
      [],
    ],
    [
      "of a customer who has paid elsewhere",
      { trialDays: 7 },
      { paidThrough: "2027-02-15" },
      { status: "active", cyclesBilled: 0, currentPeriodEnd: "2027-02-14", nextBillingAt: "2027-02-14T22:00:00.000Z" },
      [],
    ],
    [
      "with a billing day",
      {},
      { billingAnchorDay: 14 },
      {
        status: "active",
        billingAnchorDay: 14,
        currentPeriodEnd: "2027-02-13",
        nextBillingAt: "2027-02-13T22:00:00.000Z",
      },
      [51.93],
    ],
    [
      "with a credit",
      {},
      { items: [{ kind: "one_time", description: "Welcome", unitAmount: -130 }] },
      { status: "active", cyclesBilled: 1, credit: 30 },
      [],
    ],
    ["with VAT in its price", { taxInclusive: true }, {}, { amount: 100 }, [100]],
  ];
  for (const [what, plan, body, expected, invoiced] of STARTS)
    test(`${what}: a dry run says what is then done`, async () => {
      const shop = await openSubscriptionShop(api);
      const planId = await shop.addPlan(plan);
      const asked = { customer: { externalReference: "T1" }, planId, collectionMethod: "invoice", ...body };
      const dry = await shop.shop.post<Record<string, Record<string, unknown>>>(
        PATH,
        { ...asked, dryRun: true },
        { headers: { "idempotency-key": "k" } },
      );
      assert.equal(dry.status, 200, dry.text);
      assert.deepEqual(await counts(shop.shop.organisation.id), [
        { subscriptions: 0, invoices: 0, events: 0, keys: 0 },
      ]);
      const {
        id,
        created: _created,
        createdAt,
        items,
        payment,
        lastInvoice,
        ...subscription
      } = await shop.subscribe(asked);
      const { items: dryItems, ...planned } = dry.body["subscription"] ?? {};
      assert.equal(lastInvoice !== null, invoiced.length > 0);
      assert.deepEqual(payment, { due: invoiced.length > 0, url: null });
      const notYet = { id: null, createdAt: null, payment: { due: false, url: null }, lastInvoice: null };
      assert.deepEqual(planned, { ...subscription, ...notYet });
      assert.equal((dryItems as unknown[]).length, (items as unknown[]).length);
      assert.ok(createdAt);
      const seen = Object.fromEntries(Object.keys(expected).map((name) => [name, subscription[name]]));
      assert.deepEqual({ ...seen, ...("status" in expected ? { status: subscription.status } : {}) }, expected);
      const invoices = await shop.invoices(id);
      assert.deepEqual(
        invoices.map(({ total }) => total),
        invoiced,
      );
      const preview = dry.body["preview"] as Record<string, Record<string, unknown> | null>;
      if (invoices[0]) {
        const { subtotal, taxAmount, total, periodStart, periodEnd, charge } = invoices[0];
        const bill = preview["invoice"];
        assert.deepEqual(
          [
            bill?.["subtotal"],
            bill?.["tax"],
            bill?.["total"],
            bill?.["periodStart"],
            bill?.["periodEnd"],
            bill?.["charge"],
          ],
          [subtotal, taxAmount, total, periodStart, periodEnd, charge],
        );
      } else assert.equal(preview["invoice"]?.["total"] ?? 0, 0);
    });

  test("with a known reference is the one that exists, as a dry run says", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan();
    const body = { customer: { id: shop.customer }, planId, collectionMethod: "invoice", externalReference: "S-1" };
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => shop.shop.post<ShownSubscription>(PATH, body)),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [...Array<number>(AT_ONCE - 1).fill(200), 201]);
    assert.deepEqual(
      answers.map(({ status, body: { created } }) => created === (status === 201)),
      answers.map(() => true),
    );
    assert.equal(new Set(answers.map(({ body: { id } }) => id)).size, 1);
    assert.deepEqual(await counts(shop.shop.organisation.id), [{ subscriptions: 1, invoices: 1, events: 2, keys: 0 }]);
    const dry = await shop.shop.post(PATH, { ...body, dryRun: true });
    const { created: _created, ...existing } = answers[0]?.body ?? ({} as Record<string, unknown>);
    assert.deepEqual([dry.body["action"], dry.body["subscription"]], ["exists", existing]);
  });
});

describe("refused, with nothing written", () => {
  const REFUSED: readonly [what: string, body: object, path: string, message?: RegExp][] = [
    ["no customer", { customer: undefined }, "customer"],
    ["an unknown customer", { customer: { id: "cus_none" } }, "customer"],
    ["no plan", { planId: undefined }, "plan"],
    ["two plans", { plan: "gold" }, "plan"],
    ["an unknown plan", { planId: "plan_none" }, "planId"],
    ["an unknown code", { planId: undefined, plan: "none" }, "plan"],
    ["no collection method", { collectionMethod: undefined }, "collectionMethod"],
    ["an unknown collection method", { collectionMethod: "cash" }, "collectionMethod", /^must be one of gateway, /],
    ["an unknown coupon", { couponCode: "SAVE" }, "couponCode"],
    ["a metered credit", { items: [{ kind: "metered", description: "GB", unitAmount: -1 }] }, "items", /at least 0/],
    ["a quantity of zero", { quantity: 0 }, "quantity"],
    ["a negative quantity", { quantity: -1 }, "quantity"],
    ["a part of one", { quantity: 1.5 }, "quantity"],
    ["a negative add-on", { items: [{ kind: "addon", description: "x", unitAmount: -1 }] }, "items"],
    [
      "two items of one code",
      { items: ["a", "a"].map((code) => ({ code, kind: "addon", description: "x", unitAmount: 1 })) },
      "items",
    ],
    [
      "101 items",
      { items: Array.from({ length: 101 }, () => ({ kind: "addon", description: "x", unitAmount: 1 })) },
      "items",
    ],
    [
      "an item without end",
      { items: [{ kind: "addon", description: "x", unitAmount: 10_000_000, quantity: 1e9 }] },
      "items",
    ],
    [
      "more than an invoice may be",
      { quantity: 1_000_000, items: [{ kind: "addon", description: "x", unitAmount: 1e6, quantity: 1000 }] },
      "quantity",
    ],
    ["a start in the past", { startDate: "2027-01-30" }, "startDate"],
    ["a start in the year 1", { startDate: "0001-01-01" }, "startDate"],
    ["a start in the year 9999", { startDate: "9999-12-31" }, "startDate"],
    ["a start that is no date", { startDate: "tomorrow" }, "startDate"],
    ["paid until today", { paidThrough: "2027-01-31" }, "paidThrough"],
    ["paid until 9999", { paidThrough: "9999-12-31" }, "paidThrough"],
    ["paid and a start", { paidThrough: "2027-03-01", startDate: "2027-02-01" }, "paidThrough"],
    ["paid and a trial", { paidThrough: "2027-03-01", trialDays: 3 }, "trialDays"],
    ["a billing day of 32", { billingAnchorDay: 32 }, "billingAnchorDay"],
    ["a trial of three years", { trialDays: 1096 }, "trialDays"],
  ];
  test("what a body may not say", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan();
    for (const [what, fields, path, message] of REFUSED) {
      const body = { customer: { id: shop.customer }, planId, collectionMethod: "invoice", ...fields };
      for (const dryRun of [false, true]) {
        const answer = await shop.shop.post<{ error: string; issues: { path: unknown[]; message: string }[] }>(PATH, {
          ...body,
          dryRun,
        });
        assert.deepEqual(
          [answer.status, answer.body.error, answer.body.issues[0]?.path[0]],
          [400, "invalid_request", path],
          `${what} ${answer.text}`,
        );
        if (message) assert.match(answer.body.issues[0]?.message ?? "", message);
      }
    }
    assert.deepEqual(await counts(shop.shop.organisation.id), [{ subscriptions: 0, invoices: 0, events: 0, keys: 0 }]);
  });

  test("a disabled plan or package; a plan that was subscribed to stays", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan();
    await shop.subscribe({ planId });
    const paths = [`/packages/${shop.packageId}/plans/${planId}`, `/packages/${shop.packageId}`];
    for (const path of paths) {
      const removed = await shop.staff("DELETE", path);
      assert.deepEqual([removed.status, removed.body["error"]], [409, "invalid_state"]);
      assert.match(String(removed.body["message"]), /customer subscriptions/);
      await shop.staff("PATCH", path, { enabled: false });
      const answer = await shop.shop.post(PATH, {
        customer: { id: shop.customer },
        plan: planId,
        collectionMethod: "invoice",
      });
      assert.equal(answer.status, 400, answer.text);
      await shop.staff("PATCH", path, { enabled: true });
    }
    await shop.subscribe({ plan: planId });
  });
});
