import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type Refusal, refusal, type TestApi } from "../support/api.ts";
import {
  addActiveMandate,
  addMandate,
  issueAgreement,
  type MandateShop,
  mandateNow,
  openMandateShop,
  type Shown,
} from "../support/mandates.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
let stage: MandateShop;
before(async () => {
  api = await openApi();
  stage = await openMandateShop(api);
});
after(() => closeVerified(api));

const patch = (shop: MandateShop, { id }: Shown, body: object) =>
  shop.shop.call<Refusal>("PATCH", `/mandates/${id}`, { body });
describe("PATCH", () => {
  // From a status, what is sent, then the answer's status and code, and the status after it.
  const TABLE: [string, object, number, string | null, string][] = [
    ["pending", { status: "paused" }, 400, "invalid_request", "pending"],
    ["pending", { status: "active" }, 409, "invalid_request", "pending"],
    ["pending", { status: "cancelled" }, 200, null, "cancelled"],
    ["pending", { amount: 10 }, 200, null, "pending"],
    ["active", { status: "paused" }, 200, null, "paused"],
    ["active", { status: "active" }, 409, "invalid_request", "active"],
    ["active", { status: "cancelled" }, 200, null, "cancelled"],
    ["paused", { status: "paused" }, 400, "invalid_request", "paused"],
    ["paused", { status: "active" }, 200, null, "active"],
    ["paused", { status: "cancelled" }, 200, null, "cancelled"],
    ["cancelled", { status: "paused" }, 400, "invalid_request", "cancelled"],
    ["cancelled", { status: "active" }, 409, "invalid_request", "cancelled"],
    ["cancelled", { status: "cancelled" }, 400, "invalid_request", "cancelled"],
    ["cancelled", { amount: 10 }, 400, "invalid_request", "cancelled"],
  ];
  for (const [from, body, status, code, to] of TABLE)
    test(`${from}, ${JSON.stringify(body)}: ${code ?? status}, then ${to}`, async () => {
      const mandate = from === "pending" ? await addMandate(stage) : await addActiveMandate(stage);
      if (from === "paused" || from === "cancelled") await patch(stage, mandate, { status: from });
      const answer = await patch(stage, mandate, body);
      assert.deepEqual([answer.status, answer.body.error ?? null], [status, code], answer.text);
      const now = await mandateNow(stage, mandate);
      assert.equal(now["status"], to);
      assert.equal(now["nextDebitDate"] === null, to === "paused" || to === "cancelled");
    });

  test("changes amount and day together with the status, or nothing", async () => {
    const mandate = await addActiveMandate(stage);
    const changed = await patch(stage, mandate, { amount: 99.999, debitDay: 31 });
    assert.partialDeepStrictEqual(changed.body, { amount: 100, debitDay: 31, nextDebitDate: "2027-03-31" });
    assert.equal((await patch(stage, mandate, { amount: 1, status: "active" })).status, 409);
    assert.equal((await mandateNow(stage, mandate))["amount"], 100);
    const paused = await patch(stage, mandate, { amount: 5, status: "paused" });
    assert.partialDeepStrictEqual(paused.body, { amount: 5, status: "paused", nextDebitDate: null });
  });

  test("needs at least one field, each of the right kind, and ignores an Idempotency-Key", async () => {
    const mandate = await addActiveMandate(stage);
    for (const body of [{}, { other: 1 }, { amount: 0 }, { debitDay: 32 }, { status: "pending" }, { amount: null }])
      assert.deepEqual(refusal(await patch(stage, mandate, body)), [400, "invalid_request"], JSON.stringify(body));
    const keyed = (amount: number) =>
      stage.shop.call("PATCH", `/mandates/${mandate["id"]}`, { body: { amount }, headers: { "idempotency-key": "p" } });
    await keyed(1);
    assert.equal((await keyed(2)).body["amount"], 2);
    assert.equal((await patch(stage, { id: "man_x" }, { amount: 1 })).status, 404);
  });

  test("a mandate that is resumed is collected next on the first date from today on", async () => {
    const shop = await openMandateShop(api);
    const mandate = await addActiveMandate(shop, { frequency: "quarterly" });
    await patch(shop, mandate, { status: "paused" });
    await shop.move("2027-05-01T10:00:00.000Z");
    const resumed = await patch(shop, mandate, { status: "active" });
    assert.partialDeepStrictEqual(resumed.body, { status: "active", nextDebitDate: "2027-06-25", failureCount: 0 });
  });

  test("a debit day that is changed before the first debit may bring it forward", async () => {
    const shop = await openMandateShop(api);
    const mandate = await addActiveMandate(shop, { frequency: "annually", startDate: "2027-03-20", debitDay: 5 });
    assert.equal(mandate["nextDebitDate"], "2027-04-05");
    assert.partialDeepStrictEqual((await patch(shop, mandate, { debitDay: 25 })).body, { nextDebitDate: "2027-03-25" });
    await shop.move("2027-03-22T10:00:00.000Z");
    const earlier = await addActiveMandate(shop, { frequency: "annually", debitDay: 28 });
    assert.partialDeepStrictEqual((await patch(shop, earlier, { debitDay: 2 })).body, { nextDebitDate: "2027-04-02" });
  });

  test("new terms withdraw an open agreement and issue one that says them, mailed when the old one was", async () => {
    const mandate = await addMandate(stage);
    const documents = () =>
      api.query<{ status: string; emailed: boolean; document: string }>(
        "select status, emailed, document from mandate_agreements where mandate_id = $1 order by id",
        mandate["id"],
      );
    await patch(stage, mandate, { amount: 350.5, debitDay: 25 });
    assert.equal((await documents()).length, 1, "nothing is new");
    await patch(stage, mandate, { amount: 99 });
    const [before, after] = await documents();
    assert.deepEqual([before?.status, after?.status, after?.emailed], ["cancelled", "open", true]);
    assert.match(after?.document ?? "", /R\u00a099\.00/);
    await issueAgreement(stage, mandate, { email: false, notes: "Kept" });
    await patch(stage, mandate, { debitDay: 3 });
    const newest = (await documents()).at(-1);
    assert.deepEqual([newest?.status, newest?.emailed], ["open", false]);
    assert.match(newest?.document ?? "", /on day 3 of the month[\s\S]*Kept/);
  });

  test("a cancelled mandate's agreement is withdrawn", async () => {
    const mandate = await addMandate(stage);
    const { body } = await patch(stage, mandate, { status: "cancelled" });
    assert.partialDeepStrictEqual(body, { stage: "cancelled", agreement: { latest: { status: "cancelled" } } });
    assert.equal((await stage.shop.post(`/mandates/${mandate["id"]}/agreement`, {})).status, 400);
  });
});

describe("an agreement", () => {
  test("is issued each time with another link, withdraws the open one, and expires after 14 days", async () => {
    const shop = await openMandateShop(api);
    const mandate = await addMandate(shop);
    const first = await issueAgreement(shop, mandate, { email: false });
    const { path: _, ...shown } = first;
    assert.deepEqual(shown, {
      id: first["id"],
      object: "mandate_agreement",
      mandateId: mandate["id"],
      status: "pending",
      signUrl: first["signUrl"],
      expiresAt: "2027-03-15T10:00:00.000Z",
      emailed: false,
    });
    const second = await shop.shop.post<Shown>(`/mandates/${mandate["id"]}/agreement`, undefined);
    assert.deepEqual([second.status, second.body["emailed"]], [201, true]);
    assert.notEqual(second.body["signUrl"], first["signUrl"]);
    const rows = await api.query<{ status: string }>(
      "select status from mandate_agreements where mandate_id = $1 order by id",
      mandate["id"],
    );
    assert.deepEqual(
      rows.map(({ status }) => status),
      ["cancelled", "cancelled", "open"],
    );
    await shop.move("2027-03-15T09:59:59.999Z");
    const latest = async () => ((await mandateNow(shop, mandate))["agreement"] as Shown)["latest"] as Shown;
    assert.equal((await latest())["status"], "open");
    assert.equal((await shop.move("2027-03-15T10:00:00.000Z"))["mandate_agreement.expire"], 1);
    assert.equal((await latest())["status"], "expired");
  });

  test("takes notes of 2 000 characters; a mandate that does not exist is 404", async () => {
    const mandate = await addMandate(stage);
    const send = (body: object, id = mandate["id"]) => stage.shop.post(`/mandates/${id}/agreement`, body);
    assert.equal((await send({ notes: "x".repeat(2000) })).status, 201);
    assert.equal((await send({ notes: "x".repeat(2001) })).status, 400);
    assert.equal((await send({ email: "yes" })).status, 400);
    assert.equal((await send({}, "man_x")).status, 404);
  });

  test("twenty issued at once: one is open", async () => {
    const mandate = await addMandate(stage);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => stage.shop.post(`/mandates/${mandate["id"]}/agreement`, { email: false })),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    const [open] = await api.query<{ n: string }>(
      "select count(*) as n from mandate_agreements where mandate_id = $1 and status = 'open'",
      mandate["id"],
    );
    assert.equal(open?.n, "1");
  });
});
