import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { settleLegacyCancel } from "../../src/flows/subscription-migrations/act-on-migration.ts";
import { ApiError } from "../../src/kernel/errors.ts";
import { openApi, type Refusal, type TestApi } from "../support/api.ts";
import { begin, type CardShop, choiceOf, choose, eventsOf, type Shown, VISA } from "../support/cards.ts";
import { openSubscriptionShop, subscribe } from "../support/gateway-subscriptions.ts";
import { mailsOf } from "../support/mails.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const rowOf = (legacyReference: string, more: object = {}) => ({
  payerName: "Thandi Nkosi",
  email: `${legacyReference}@example.co.za`,
  amount: 120,
  frequency: "monthly",
  nextDate: "2027-03-15",
  legacyReference,
  ...more,
});
const migrate = (shop: CardShop, subscriptions: object[], more: object = {}) =>
  shop.shop.post<{ data: Shown[] }>("/subscriptions/migrations", { subscriptions, ...more });
const list = async (shop: CardShop) => (await shop.shop.get<{ data: Shown[] }>("/subscriptions/migrations")).body.data;
const act = (shop: CardShop, migration: Shown | undefined, action: string) =>
  shop.shop.call("POST", `/subscriptions/migrations/${migration?.["id"]}/${action}`);

/** The customer subscription that the migration has made, as it is now. */
const subscriptionOf = async (shop: CardShop, migration: Shown | undefined): Promise<Shown> =>
  (await shop.shop.get(`/customer-subscriptions/${migration?.["subscriptionId"]}`)).body;

/** The payer confirms the card on the page. */
async function confirm(shop: CardShop, migration: Shown | undefined): Promise<string> {
  const { reference, gatewayUrl } = await begin(shop, String(migration?.["checkoutUrl"]));
  await choose(shop, gatewayUrl, choiceOf(VISA));
  return reference;
}

describe("migrations", () => {
  test("three are begun, confirmed by 1.00 and first charged on their date", async () => {
    const shop = await openSubscriptionShop(api);
    const answer = await migrate(shop, [rowOf("old-1"), rowOf("old-2"), rowOf("old-3")], { cancelLegacy: "manual" });
    assert.equal(answer.status, 201, answer.text);
    const [first] = answer.body.data;
    assert.deepEqual(first, {
      id: first?.["id"],
      ...rowOf("old-1"),
      status: "link_sent",
      subscriptionId: first?.["subscriptionId"],
      checkoutUrl: first?.["checkoutUrl"],
      createdAt: "2027-03-01T10:00:00.000Z",
    });
    const id = String(first?.["subscriptionId"]);
    const waiting = await subscriptionOf(shop, first);
    assert.deepEqual(
      [waiting["status"], waiting["collectionMethod"], waiting["amount"], waiting["billingPeriod"], waiting["card"]],
      ["pending", "gateway", 120, "monthly", null],
    );
    assert.deepEqual(
      [waiting["nextBillingAt"], waiting["externalReference"], waiting["cyclesBilled"]],
      ["2027-03-14T22:00:00.000Z", "old-1", 0],
    );
    const { id: customer } = waiting["customer"] as { id: string };
    const ofCustomer = await shop.shop.get<{ data: Shown[] }>(`/customer-subscriptions?customerId=${customer}`);
    assert.deepEqual(
      ofCustomer.body.data.map((one) => one["id"]),
      [id],
    );
    assert.deepEqual((await shop.shop.get<{ data: Shown[] }>("/subscriptions")).body.data, [], "no gateway runs one");
    const mails = (await shop.staff<{ data: Shown[] }>("GET", "/emails")).body.data;
    assert.equal(mails.filter(({ kind }) => kind === "subscription_migration").length, 3);
    const reference = await confirm(shop, first);
    const payment = (await shop.shop.get(`/transactions/${reference}`)).body;
    assert.deepEqual([payment["type"], payment["amount"], payment["subscriptionId"]], ["card_setup", 1, id]);
    const active = await subscriptionOf(shop, first);
    const { last4 } = active["card"] as { last4: string };
    assert.deepEqual([active["status"], last4, active["nextBillingAt"]], ["active", "4242", waiting["nextBillingAt"]]);
    assert.deepEqual(
      (await list(shop)).map(({ legacyReference, status }) => [legacyReference, status]),
      [
        ["old-3", "link_sent"],
        ["old-2", "link_sent"],
        ["old-1", "authorised"],
      ],
    );
    assert.deepEqual(
      (await eventsOf(shop, "subscription.%")).filter(({ subject }) => subject === id).map(({ type }) => type),
      ["subscription.created", "subscription.activated"],
    );
    const payments = async () =>
      (await shop.shop.get<{ data: Shown[] }>(`/customer-subscriptions/${id}/payments`)).body.data;
    await shop.move("2027-03-14T10:00:00Z");
    assert.equal((await payments()).length, 1);
    await shop.move("2027-04-20T10:00:00Z");
    assert.deepEqual(
      (await payments()).map((one) => [one["type"], one["amount"], one["renewal"]]),
      [
        ["card_debit", 120, true],
        ["card_debit", 119, false],
        ["card_setup", 1, false],
      ],
      "the 1.00 was given back on the first invoice",
    );
    const invoices = await shop.shop.get<{ data: Shown[] }>(`/customer-subscriptions/${id}/invoices`);
    assert.deepEqual(
      invoices.body.data.map((one) => [one["total"], one["status"], one["periodStart"]]),
      [
        [120, "paid", "2027-04-15"],
        [120, "paid", "2027-03-15"],
      ],
    );
    const others = (await list(shop)).slice(0, 2);
    for (const other of others) assert.equal((await subscriptionOf(shop, other))["status"], "pending");
  });

  test("auto cancels the legacy instruction once the card is confirmed", async () => {
    const shop = await openSubscriptionShop(api);
    const { body } = await migrate(shop, [rowOf("auto-1")]);
    await confirm(shop, body.data[0]);
    await shop.move("2027-03-01T11:00:00Z");
    assert.equal((await list(shop))[0]?.["status"], "legacy_cancelled");
  });

  test("a legacy instruction at the same gateway is cancelled there; a refusal is 502, and staff are told once", async () => {
    const shop = await openSubscriptionShop(api);
    await subscribe(shop);
    const [old] = await api.query<{ id: string; status: string }>(
      "select id, status from sandbox_subscriptions where organisation_id = $1",
      shop.shop.organisation.id,
    );
    const { body } = await migrate(shop, [rowOf(String(old?.id)), rowOf("kept")], { cancelLegacy: "manual" });
    const [first, second] = body.data;
    for (const migration of [first, second]) await confirm(shop, migration);
    assert.equal((await act(shop, first, "cancel-legacy")).body["status"], "legacy_cancelled");
    const [now] = await api.query<{ status: string }>(
      "select status from sandbox_subscriptions where id = $1",
      old?.id,
    );
    assert.deepEqual([old?.status, now?.status], ["active", "cancelled"]);
    const ctx = await shop.shop.ctx();
    const refused = () =>
      api.services.db.transaction(ctx.organisation.id, (tx) =>
        settleLegacyCancel(tx, ctx, String(second?.["id"]), { kind: "refused", reason: "It is locked." }),
      );
    for (const answer of [await refused(), await refused()])
      assert.ok(answer instanceof ApiError && answer.status === 502 && answer.code === "gateway_error");
    assert.equal((await list(shop)).find(({ id }) => id === second?.["id"])?.["status"], "authorised");
    const alerts = await mailsOf(api.services, shop.shop.organisation, { kind: "staff_alert" });
    assert.deepEqual(
      alerts.map(({ text }) => [text.includes("kept"), text.includes("It is locked.")]),
      [[true, true]],
    );
  });

  test("all or none: a bad row names its index", async () => {
    const shop = await openSubscriptionShop(api);
    const said: string[] = [];
    for (const [bad, field] of [
      [{ email: "nobody" }, "email"],
      [{ amount: 0 }, "amount"],
      [{ frequency: "weekly" }, "frequency"],
      [{ nextDate: "2027-03-01" }, "nextDate"],
      [{ nextDate: "2027-02-30" }, "nextDate"],
      [{ payerName: " " }, "payerName"],
      [{ legacyReference: "good" }, "legacyReference"],
    ] as const) {
      const answer = await migrate(shop, [rowOf("good"), rowOf("bad", bad)]);
      assert.equal(answer.status, 400, field);
      const { issues } = JSON.parse(answer.text) as Refusal;
      assert.deepEqual(issues?.[0]?.path, ["subscriptions", 1, field]);
      if (issues.length === 1 && field in { nextDate: 1, legacyReference: 1 }) said.push(String(issues[0]?.message));
    }
    assert.ok(
      said.some((message) => message.startsWith("Subscription 2 of the list")),
      said.join("\n"),
    );
    assert.deepEqual(await list(shop), []);
    for (const path of ["/customer-subscriptions", "/packages"])
      assert.deepEqual((await shop.shop.get<{ data: Shown[] }>(path)).body.data, []);
  });

  test("two hundred at a time, and no more; three lists of the same at once begin each once", async () => {
    const shop = await openSubscriptionShop(api);
    const rows = Array.from({ length: 201 }, (_, at) => rowOf(`many-${at}`));
    const tooMany = await migrate(shop, rows);
    assert.deepEqual([tooMany.status, tooMany.body["error" as never]], [400, "invalid_request"]);
    const answers = await Promise.all(Array.from({ length: 3 }, () => migrate(shop, rows.slice(1))));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 201]);
    for (const { body } of answers)
      assert.deepEqual(
        body.data.map(({ legacyReference }) => legacyReference),
        rows.slice(1).map(({ legacyReference }) => legacyReference),
      );
    const [known] = await api.query<{ count: string }>(
      "select count(*) from subscription_migrations where organisation_id = $1",
      shop.shop.organisation.id,
    );
    assert.equal(Number(known?.count), 200);
    const bad = Array.from({ length: 200 }, (_, at) =>
      rowOf(`more-${at}`, at === 199 ? { nextDate: "2027-03-01" } : {}),
    );
    const refused = await migrate(shop, bad);
    const { issues } = JSON.parse(refused.text) as Refusal;
    assert.deepEqual(
      issues?.map(({ path }) => path),
      [["subscriptions", 199, "nextDate"]],
    );
    assert.match(refused.text, /subscription 200 of the list/);
  });

  test("idempotent on legacyReference, twenty at once too", async () => {
    const shop = await openSubscriptionShop(api);
    const answers = await Promise.all(Array.from({ length: 20 }, () => migrate(shop, [rowOf("same")])));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [...Array(19).fill(200), 201]);
    assert.equal(new Set(answers.map(({ body }) => body.data[0]?.["id"])).size, 1);
    const more = await migrate(shop, [rowOf("same", { amount: 5 }), rowOf("other")]);
    assert.deepEqual([more.status, more.body.data.map(({ amount }) => amount)], [201, [120, 120]]);
  });

  test("the actions, each by each status", async () => {
    const shop = await openSubscriptionShop(api);
    const ACTIONS = ["send-link", "cancel-legacy", "mark-legacy-cancelled", "cancel"];
    const TABLE: Record<string, readonly (string | null)[]> = {
      link_sent: ["link_sent", null, null, "cancelled"],
      authorised: [null, "legacy_cancelled", "legacy_cancelled", null],
      legacy_cancelled: [null, "legacy_cancelled", "legacy_cancelled", null],
      cancelled: [null, null, null, "cancelled"],
    };
    for (const [status, row] of Object.entries(TABLE))
      for (const [at, to] of row.entries()) {
        const { body } = await migrate(shop, [rowOf(`${status}-${at}`)], { cancelLegacy: "manual" });
        const [migration] = body.data;
        if (status === "cancelled") await act(shop, migration, "cancel");
        if (status === "authorised" || status === "legacy_cancelled") await confirm(shop, migration);
        if (status === "legacy_cancelled") await act(shop, migration, "mark-legacy-cancelled");
        const answer = await act(shop, migration, ACTIONS[at] ?? "");
        const what = `${ACTIONS[at]} of ${status}`;
        if (to === null) assert.deepEqual([answer.status, answer.body["error"]], [409, "invalid_state"], what);
        else assert.deepEqual([answer.status, answer.body["status"]], [200, to], what);
      }
    assert.equal((await act(shop, { id: "gsm_nobody" }, "cancel")).status, 404);
  });

  test("a link that has expired is sent anew; a cancelled migration's page takes no payment", async () => {
    const shop = await openSubscriptionShop(api);
    const { body } = await migrate(shop, [rowOf("late"), rowOf("never")]);
    await shop.move("2027-03-10T10:00:00Z");
    const sent = await act(shop, body.data[0], "send-link");
    assert.notEqual(sent.body["checkoutUrl"], body.data[0]?.["checkoutUrl"]);
    await confirm(shop, sent.body);
    assert.equal((await subscriptionOf(shop, sent.body))["status"], "active");
    await act(shop, body.data[1], "cancel");
    const page = await api.call("GET", new URL(String(body.data[1]?.["checkoutUrl"])).pathname);
    assert.doesNotMatch(page.text, /name="gateway"/);
  });
});
