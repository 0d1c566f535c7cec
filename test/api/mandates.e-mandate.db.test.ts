import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { applyFacts } from "../../src/flows/payments/apply-facts.ts";
import type { MandateFact } from "../../src/gateways/facts.ts";
import { openApi, type Refusal, refusal, type TestApi } from "../support/api.ts";
import {
  addMandate,
  type MandateShop,
  mandateBody,
  mandateNow,
  openMandateShop,
  requestMandate,
  type Shown,
} from "../support/mandates.ts";
import { type GatewayReply, openStandIn, type StandIn } from "../support/payments.ts";
import { closeVerified, faultsOf } from "../support/verified.ts";

const EMANDATE = { authority: "emandate" };
const answer = ({ id }: Shown, shop: MandateShop, outcome: string) =>
  shop.staff("POST", "/sandbox/notify", { reference: id, status: outcome });

describe("through the sandbox gateway", () => {
  let api: TestApi;
  let stage: MandateShop;
  before(async () => {
    api = await openApi();
    stage = await openMandateShop(api);
  });
  after(() => closeVerified(api));

  const report = async (
    shop: MandateShop,
    mandate: Shown,
    kinds: readonly MandateFact["kind"][],
    accountId = shop.account.id,
  ) => {
    const facts = kinds.map(
      (kind): MandateFact => ({
        about: "mandate",
        kind,
        occurredAt: null,
        gatewayWord: kind,
        accountReference: String(mandate["accountReference"]),
        reason: kind === "rejected" ? "No." : null,
        signUrl: null,
      }),
    );
    const reportedBy = { accountId: accountId as never, source: "notification" } as const;
    for (const fact of facts)
      assert.equal(await applyFacts(api.services, await shop.shop.ctx(), reportedBy, [fact]), 0);
  };

  test("the customer signs on the gateway's page: the mandate becomes active", async () => {
    const mandate = await addMandate(stage, EMANDATE);
    assert.partialDeepStrictEqual(mandate, {
      status: "pending",
      stage: "awaiting_signature",
      authorisedAt: null,
      warnings: [],
    });
    assert.equal(mandate["agreementSent"], undefined);
    assert.deepEqual((mandate["agreement"] as Shown)["latest"], null);
    const url = new URL(String(mandate["eMandateUrl"]));
    assert.equal(url.origin, api.baseUrl);
    assert.equal((await api.call("GET", url.pathname)).status, 200);
    const told = await answer({ id: mandate["accountReference"] }, stage, "complete");
    assert.equal(told.status, 200, told.text);
    assert.partialDeepStrictEqual(await mandateNow(stage, mandate), {
      status: "active",
      eMandateUrl: null,
      authorisedAt: "2027-03-01T10:00:00.000Z",
      nextDebitDate: "2027-03-25",
      agreement: { signed: false },
    });
  });

  test("the bank refuses an account that ends in 09: 400, and nothing stays, with and without a key", async () => {
    const shop = await openMandateShop(api);
    const bank = { accountNumber: "62900417709" };
    for (let n = 0; n < 2; n++) {
      const refused = await requestMandate(shop, EMANDATE, bank);
      assert.deepEqual(refusal(refused as never), [400, "invalid_request"], refused.text);
    }
    const keyed = () =>
      shop.shop.post<Refusal>("/mandates", mandateBody(shop, EMANDATE, bank), { headers: { "idempotency-key": "e" } });
    const [first, second] = [await keyed(), await keyed()];
    assert.deepEqual([first.status, second.status, second.text], [400, 400, first.text]);
    assert.deepEqual((await shop.shop.get<{ data: Shown[] }>("/mandates")).body.data, []);
    assert.deepEqual(
      await api.query(
        "select 1 from due_work where organisation_id = $1 and kind = 'mandate.check'",
        shop.shop.organisation.id,
      ),
      [],
    );
    assert.equal((await requestMandate(shop, {}, bank)).status, 201, "by agreement the number is as good as any");
  });

  // Reports in the order in which they come, then the stage. A rejection counts whenever it comes.
  const KINDS = ["accepted", "rejected", "waiting", "accepted"] as const;
  const orders = (left: readonly MandateFact["kind"][]): MandateFact["kind"][][] =>
    left.length === 0
      ? [[]]
      : left.flatMap((kind, at) => orders(left.filter((_, index) => index !== at)).map((rest) => [kind, ...rest]));
  test("every order of four reports ends the same, each repeated", async () => {
    for (const order of orders(KINDS)) {
      const mandate = await addMandate(stage, EMANDATE);
      await report(
        stage,
        mandate,
        order.flatMap((kind) => [kind, kind]),
      );
      const now = await mandateNow(stage, mandate);
      assert.deepEqual(
        [now["status"], now["stage"], now["rejectionReason"]],
        ["cancelled", "rejected", "No."],
        order.join(", "),
      );
    }
    const accepted = await addMandate(stage, EMANDATE);
    await report(stage, accepted, ["waiting", "accepted", "waiting", "accepted"]);
    assert.equal((await mandateNow(stage, accepted))["status"], "active");
  });

  test("twenty acceptances at once, with approval: it waits for staff once", async () => {
    const shop = await openMandateShop(api);
    await shop.staff("PATCH", "/settings", { debitOrders: { requireApproval: true } });
    const mandate = await addMandate(shop, EMANDATE);
    await Promise.all(Array.from({ length: 20 }, () => report(shop, mandate, ["accepted"])));
    assert.partialDeepStrictEqual(await mandateNow(shop, mandate), { status: "pending", stage: "awaiting_approval" });
  });

  test("what another account, or nobody's mandate, reports changes nothing", async () => {
    const other = await stage.shop.addGateway({ name: "Another" });
    const mandate = await addMandate(stage, { ...EMANDATE, providerId: stage.account.id });
    await report(stage, mandate, ["accepted", "rejected"], other.id);
    await report(stage, { accountReference: "DO0000000000" }, ["accepted"]);
    const paper = await addMandate(stage);
    await report(stage, paper, ["accepted"]);
    for (const one of [mandate, paper]) assert.equal((await mandateNow(stage, one))["stage"], "awaiting_signature");
  });

  test("a cancelled mandate is not brought back by an acceptance, and the gateway is no longer asked", async () => {
    const mandate = await addMandate(stage, EMANDATE);
    await stage.shop.call("PATCH", `/mandates/${mandate["id"]}`, { body: { status: "cancelled" } });
    await report(stage, mandate, ["accepted"]);
    assert.equal((await mandateNow(stage, mandate))["stage"], "cancelled");
    assert.deepEqual(await api.query("select 1 from due_work where subject = $1", mandate["id"]), []);
  });
});

describe("a gateway that gives no clear answer", () => {
  let gateway: StandIn;
  let api: TestApi;
  let shop: MandateShop;
  before(async () => {
    gateway = await openStandIn();
    gateway.replies.set("POST bank-account-checks", () => ({ status: 200, json: { warnings: [] } }));
    api = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
    shop = await openMandateShop(api);
  });
  after(async () => {
    assert.deepEqual(await faultsOf(api), []);
    await api.close();
    await gateway.close();
  });

  const mandateReply = (accountReference: unknown, status: string, http = 200): GatewayReply => ({
    status: http,
    json: {
      accountReference,
      status,
      signUrl: "https://gateway.example/sign",
      reason: status === "rejected" ? "Closed account." : null,
      updatedAt: "2027-03-01T10:00:00.000Z",
    },
  });
  const checked = async (now: string) => (await shop.move(now))["mandate.check"];

  test("the mandate is created and waits; the gateway is asked, not sent it again, and its link is found", async () => {
    gateway.replies.set("POST mandates", () => "hang up");
    const mandate = await addMandate(shop, EMANDATE);
    assert.deepEqual([mandate["stage"], mandate["eMandateUrl"]], ["awaiting_signature", null]);
    gateway.calls.length = 0;
    gateway.replies.set("GET mandates", () => mandateReply(mandate["accountReference"], "waiting"));
    assert.equal(await checked("2027-03-01T10:01:00.000Z"), 1);
    assert.deepEqual(
      gateway.calls.map(({ method }) => method),
      ["GET"],
    );
    assert.equal((await mandateNow(shop, mandate))["eMandateUrl"], "https://gateway.example/sign");
    gateway.replies.set("GET mandates", () => mandateReply(mandate["accountReference"], "accepted"));
    assert.ok(((await checked("2027-03-01T10:10:00.000Z")) ?? 0) > 0);
    assert.equal((await mandateNow(shop, mandate))["status"], "active");
    assert.equal(await checked("2027-03-02T10:10:00.000Z"), undefined);
  });

  test("one that the gateway does not know is sent again; a late refusal leaves it as rejected", async () => {
    gateway.replies.delete("GET mandates");
    gateway.replies.set("POST mandates", () => ({ status: 500, json: {} }));
    const mandate = await addMandate(shop, EMANDATE);
    gateway.replies.set("POST mandates", ({ body }) => mandateReply(body["accountReference"], "rejected", 201));
    await shop.move("2027-03-03T10:00:00.000Z");
    assert.partialDeepStrictEqual(await mandateNow(shop, mandate), {
      status: "cancelled",
      stage: "rejected",
      rejectionReason: "Closed account.",
    });
  });

  test("an account that cannot be checked draws a warning", async () => {
    gateway.replies.set("POST bank-account-checks", () => "hang up");
    const mandate = await addMandate(shop);
    assert.deepEqual(mandate["warnings"], ["The gateway could not check the bank account at the moment."]);
    gateway.replies.set("POST bank-account-checks", () => ({ status: 200, json: { warnings: [] } }));
  });
});
