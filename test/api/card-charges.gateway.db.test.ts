import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { checkPayment } from "../../src/flows/payments/check-payment.ts";
import type { Payment } from "../../src/gateways/sandbox/wire.ts";
import { addSeconds, DAY_SECONDS } from "../../src/kernel/time.ts";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import { type Answer, type ApiMerchant, openApi, type TestApi } from "../support/api.ts";
import type { Shown } from "../support/cards.ts";
import { addSavedCard } from "../support/charged-cards.ts";
import {
  CREDENTIALS,
  type GatewayReply,
  notify,
  openStandIn,
  reportedPayment,
  type StandIn,
} from "../support/payments.ts";
import { faultsOf } from "../support/verified.ts";

let gateway: StandIn;
let api: TestApi;
before(async () => {
  gateway = await openStandIn();
  api = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
});
after(async () => {
  await api.close();
  await gateway.close();
});
beforeEach(() => {
  gateway.calls.length = 0;
  gateway.replies.clear();
});

const payment = (reference: unknown, status: Payment["status"]): Payment => {
  const hard = { code: "card_token_error", message: "The card is closed.", hard: true };
  return reportedPayment(String(reference), status, {
    amount: 5000,
    fee: null,
    decline: status === "failed" ? hard : null,
  });
};
const answering =
  (status: Payment["status"]) =>
  ({ body }: { body: Shown }): GatewayReply => ({
    status: 201,
    json: payment(body["reference"], status),
  });

/** A merchant with a saved card, whose key may charge it. */
interface Charging {
  readonly shop: ApiMerchant;
  readonly account: GatewayAccount;
  charge(externalReference: string, headers?: Record<string, string>): Promise<Answer<Shown>>;
  /** As the due work does, after so many seconds. */
  check(charge: Shown, seconds?: number): Promise<Date | null>;
  shown(charge: Shown): Promise<unknown[]>;
  cardStatus(): Promise<unknown>;
}

async function openCharging(): Promise<Charging> {
  const shop = await api.addMerchant();
  const account = await shop.addGateway({ credentials: CREDENTIALS });
  const { customer } = await addSavedCard(api.services, await shop.ctx(), account, `${Math.random()}@example.com`);
  const { key } = await shop.addKey(["charge_saved_cards"]);
  const cards = `/customers/${customer.id}/cards`;
  const rowOf = async ({ reference }: Shown) =>
    (await api.query<{ id: string }>("select id from transactions where reference = $1", reference))[0]?.id ?? "";
  return {
    shop,
    account,
    charge: (externalReference, headers = {}) =>
      shop.post(`${cards}/default/charges`, { amount: 50, description: "Fees", externalReference }, { key, headers }),
    async check(charge, seconds = 60) {
      const ctx = await shop.ctx();
      return checkPayment(api.services, { ...ctx, now: addSeconds(ctx.now, seconds) }, await rowOf(charge));
    },
    async shown(charge) {
      const [row] = await api.query<{ status: string; failure_reason: string | null }>(
        "select status, failure_reason from card_charges where id = $1",
        charge["id"],
      );
      const { body } = await shop.get(`/transactions/${charge["reference"]}`);
      return [body["status"], row?.status, row?.failure_reason];
    },
    cardStatus: async () => (await shop.get<{ data: Shown[] }>(cards)).body.data[0]?.["status"],
  };
}

const charges = () => gateway.calls.filter(({ method, path }) => method === "POST" && path === "/charges");
/** The references that were sent, in order; a call that was repeated within its request counts once. */
const sent = () =>
  charges()
    .map(({ idempotencyKey }) => idempotencyKey)
    .filter((key, index, all) => key !== all[index - 1]);

describe("what the gateway answers", () => {
  test("the charge carries our reference as its key, and the card's token", async () => {
    const { charge } = await openCharging();
    gateway.replies.set("POST charges", answering("pending"));
    const { body } = await charge("A");
    const [call] = charges();
    assert.equal(call?.idempotencyKey, body["reference"]);
    assert.partialDeepStrictEqual(call?.body, {
      reference: body["reference"],
      amount: 5000,
      currency: "ZAR",
      description: "Fees",
    });
    assert.match(String(call?.body["token"]), /^sct_/);
  });

  const AT_ONCE: [string, Payment["status"], unknown[], string][] = [
    ["paid", "complete", ["complete", "complete", null], "active"],
    ["declined for good", "failed", ["failed", "failed", "The card is closed."], "failed"],
    ["cancelled", "cancelled", ["cancelled", "failed", "The payment was cancelled at the gateway."], "active"],
  ];
  for (const [name, status, expected, card] of AT_ONCE)
    test(`${name} at once: 201, and settled in the same request`, async () => {
      const { charge, shown, cardStatus, shop } = await openCharging();
      gateway.replies.set("POST charges", answering(status));
      const answer = await charge("A");
      assert.deepEqual(
        [answer.status, answer.body["status"], answer.body["failureReason"]],
        [201, expected[1], expected[2]],
      );
      assert.deepEqual(await shown(answer.body), expected);
      assert.equal(await cardStatus(), card);
      assert.deepEqual(await faultsOf(api, shop.organisation), []);
    });

  test("a refusal by status is a failed charge", async () => {
    const { charge } = await openCharging();
    gateway.replies.set("POST charges", () => ({ status: 409, json: { error: "x", message: "No such token." } }));
    const { status, body } = await charge("A");
    assert.deepEqual([status, body["status"], body["failureReason"]], [201, "failed", "No such token."]);
  });

  const UNCLEAR: [string, GatewayReply][] = [
    ["hangs up", "hang up"],
    ["answers 500", { status: 500, json: {} }],
    ["answers words", { text: "<html>" }],
  ];
  for (const [name, reply] of UNCLEAR)
    test(`it ${name}: pending; asked about, and not charged again while the gateway knows the charge`, async () => {
      const { charge, check, shown } = await openCharging();
      gateway.replies.set("POST charges", () => reply);
      const { status, body } = await charge("A");
      const { length } = charges();
      assert.deepEqual([status, body["status"]], [201, "pending"]);
      assert.equal((await charge("A")).body["error"], "charge_exists");
      gateway.replies.set("GET payments", () => reply);
      assert.ok(await check(body), "unclear again: asked later");
      gateway.replies.set("GET payments", () => ({ status: 200, json: payment(body["reference"], "pending") }));
      assert.ok(await check(body, 6 * DAY_SECONDS), "a bank that takes its time is waited for");
      assert.deepEqual(await shown(body), ["pending", "pending", null]);
      gateway.replies.set("GET payments", () => ({ status: 200, json: payment(body["reference"], "complete") }));
      assert.equal(await check(body), null);
      assert.deepEqual(await shown(body), ["complete", "complete", null]);
      assert.equal(charges().length, length, "nothing was sent after the request");
    });

  test("a charge that the gateway does not know is sent again, under the same reference; not for a card that was removed", async () => {
    const { charge, check, shown, shop } = await openCharging();
    gateway.replies.set("POST charges", () => "hang up");
    const { body } = await charge("A");
    const other = (await charge("B")).body;
    gateway.replies.set("POST charges", answering("pending"));
    assert.ok(await check(body));
    assert.deepEqual(sent(), [body["reference"], other["reference"], body["reference"]]);
    const { id } = body["card"] as Shown;
    assert.equal((await shop.call("DELETE", `/customers/${body["customerId"]}/cards/${id}`)).status, 200);
    assert.equal(await check(other), null);
    assert.equal((await shown(other))[1], "failed");
    assert.equal(sent().length, 3);
  });

  test("a repeated Idempotency-Key whose first request has gone asks about its charge, and makes none", async () => {
    const { charge, shop } = await openCharging();
    gateway.replies.set("POST charges", () => "hang up");
    const headers = { "idempotency-key": "k-1" };
    const { body } = await charge("A", headers);
    const { length } = charges();
    await api.query(
      "update idempotency_keys set status = null, reply_sealed = null, claimed_at = claimed_at - interval '1 minute' where organisation_id = $1",
      shop.organisation.id,
    );
    gateway.replies.set("GET payments", () => ({ status: 200, json: payment(body["reference"], "complete") }));
    const again = await charge("A", headers);
    assert.deepEqual([again.status, again.body["id"], again.body["status"]], [201, body["id"], "complete"]);
    assert.equal(charges().length, length);
  });
});

describe("notifications", () => {
  const STATUSES = ["pending", "complete", "failed", "cancelled"] as const;
  const orders = STATUSES.flatMap((one) =>
    STATUSES.flatMap((two) => STATUSES.flatMap((three) => STATUSES.map((four) => [one, two, three, four] as const))),
  );
  const RANK = ["pending", "cancelled", "failed", "complete"];

  test("in every order of every four, also several at once, end in the same books", async () => {
    const { charge, account, shown, shop } = await openCharging();
    gateway.replies.set("POST charges", answering("pending"));
    // As if they had been made long ago: they count towards no limit.
    const free = () =>
      api.query("update card_charges set charge_day = '2000-01-01', id = 'chg_0000000000' || right(id, 16)");
    const ends = new Map<string, string>();
    for (const [n, order] of orders.entries()) {
      await free();
      const { status, body } = await charge(`N-${n}`);
      assert.equal(status, 201);
      const id = `chg_0000000000${String(body["id"]).slice(-16)}`;
      await free();
      const tell = (word: Payment["status"]) => notify(api, account, { payment: payment(body["reference"], word) });
      if (n % 2) await Promise.all(order.map(tell));
      else for (const word of order) await tell(word);
      const highest = order.toSorted((a, b) => RANK.indexOf(b) - RANK.indexOf(a))[0] ?? "pending";
      const [transaction, stored] = await shown({ ...body, id });
      assert.equal(transaction, highest, order.join(", "));
      assert.equal(
        stored,
        { pending: "pending", cancelled: "failed", failed: "failed", complete: "complete" }[highest],
      );
      const lines = await api.query<{ account: string; amount_cents: string }>(
        `select l.account, l.amount_cents from journal_entries e join journal_lines l on l.organisation_id = e.organisation_id
           and l.entry_id = e.id where e.subject = $1 order by l.line`,
        body["reference"],
      );
      const books = JSON.stringify(lines);
      assert.equal(books, ends.get(highest) ?? books, order.join(", "));
      ends.set(highest, books);
      await api.services.db.transaction(
        shop.organisation.id,
        async (tx) => tx.queue`
        update cards set status = 'active' where organisation_id = ${tx.organisation}`,
      );
    }
    await api.query(
      "update card_charges c set charge_day = ((t.created_at at time zone 'UTC') + interval '2 hours')::date from transactions t where t.id = c.transaction_id",
    );
    assert.deepEqual(await faultsOf(api, shop.organisation), []);
  });

  test("a success after a failure takes the reference back, unless another charge has it by then", async () => {
    const { charge, account, shown, shop } = await openCharging();
    gateway.replies.set("POST charges", answering("pending"));
    const tell = (of: Shown, status: Payment["status"]) =>
      notify(api, account, { payment: { ...payment(of["reference"], status), decline: null } });
    const { body: first } = await charge("A");
    await tell(first, "failed");
    await tell(first, "complete");
    assert.deepEqual(await shown(first), ["complete", "complete", null]);
    assert.equal((await charge("A")).body["error"], "charge_exists");
    const { body: second } = await charge("B");
    await tell(second, "failed");
    const { body: third } = await charge("B");
    assert.match(String(third["reference"]), /-2$/);
    await tell(second, "complete");
    assert.deepEqual(await shown(second), ["complete", "complete", null]);
    const again = await charge("B");
    assert.equal((again.body["charge"] as Shown)["id"], third["id"]);
    assert.deepEqual(await faultsOf(api, shop.organisation), []);
  });
});
