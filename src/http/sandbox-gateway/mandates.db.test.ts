import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addClockedMerchant, type ClockedMerchant, callAs } from "../../../test/support/clocked-merchant.ts";
import { formTokenIn, openPages, type TestPages } from "../../../test/support/pages.ts";
import { notifyUrlOf } from "../../flows/gateways/accounts.ts";
import type { EMandateRequest } from "../../gateways/contract.ts";
import { sandbox } from "../../gateways/sandbox/adapter.ts";
import { cents } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";

const NOW = "2026-11-20T10:00:00.000Z";

let pages: TestPages;
before(async () => {
  pages = await openPages();
});
after(() => pages.close());

const { create, query } = sandbox.eMandates ?? assert.fail();

const request = (shop: ClockedMerchant, changes: Partial<EMandateRequest> = {}): EMandateRequest => ({
  accountReference: "DO0123456789",
  amount: cents(25_000),
  frequency: "monthly",
  debitDay: 31,
  amountVaries: false,
  startDate: "2026-12-01" as CalendarDay,
  description: "School fees",
  payer: { email: null, firstName: "Thandi", lastName: "Nkosi", phone: null },
  idNumber: "8001015009087",
  bank: { holder: "T Nkosi", number: "62123456700", branchCode: "250655", type: "current" },
  notifyUrl: notifyUrlOf(pages.services, shop.gateway),
  ...changes,
});
/** The path of the page where a new mandate is signed. */
async function made(shop: ClockedMerchant): Promise<string> {
  const answer = await create(request(shop), await callAs(pages, shop));
  return answer.kind === "created" ? new URL(answer.signUrl).pathname : assert.fail(answer.reason);
}
const state = async (shop: ClockedMerchant) => {
  const fact = await query("DO0123456789", await callAs(pages, shop));
  return fact && [fact.kind, fact.reason];
};

describe("an electronic mandate", () => {
  test("says on its page what is signed, and has a button for each answer", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const page = await pages.get(await made(shop));
    assert.deepEqual([page.status, page.heading], [200, "Let Karoo Books debit your account"]);
    for (const words of [/School fees/, /R\s?250[.,]00/, /month, on day 31/, /2026-12-01/, /DO0123456789/])
      assert.match(page.text, words);
    assert.deepEqual(
      [...page.text.matchAll(/name="outcome" value="(\w+)"/g)].map(([, value]) => value),
      ["complete", "failed", "cancelled"],
    );
    assert.equal(page.headers.get("referrer-policy"), "no-referrer");
    assert.deepEqual(await state(shop), ["waiting", null]);
  });

  const ANSWERS: [string, string, string | null, string][] = [
    ["complete", "accepted", null, "This mandate is signed"],
    ["failed", "rejected", "The payer declined the mandate.", "This mandate was rejected"],
    ["cancelled", "waiting", null, "Let Karoo Books debit your account"],
  ];
  for (const [outcome, kind, reason, heading] of ANSWERS)
    test(`is ${kind} after ${outcome}`, async () => {
      const shop = await addClockedMerchant(pages, NOW);
      const path = await made(shop);
      const formToken = formTokenIn(await pages.get(path));
      const answer = await pages.post(path, { outcome, formToken }, { origin: "null" });
      assert.deepEqual([answer.status, new URL(answer.location, pages.baseUrl).pathname], [303, path]);
      assert.equal((await pages.get(path)).heading, heading);
      assert.deepEqual(await state(shop), [kind, reason]);
    });

  test("is answered once: the first of several answers counts", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const path = await made(shop);
    await Promise.all(["complete", "failed", "complete", "failed"].map((outcome) => pages.post(path, { outcome })));
    const first = await state(shop);
    assert.ok(first?.[0] === "accepted" || first?.[0] === "rejected");
    const again = await pages.post(path, { outcome: first[0] === "accepted" ? "failed" : "complete" });
    assert.equal(again.status, 200);
    assert.doesNotMatch(again.text, /<form/);
    assert.deepEqual(await state(shop), first);
  });

  test("refuses an invalid answer, and one from another site", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const path = await made(shop);
    for (const outcome of ["", "signed", "\0"]) {
      const answer = await pages.post(path, { outcome });
      assert.equal(answer.status, 400);
      assert.match(answer.text, /Choose how you answer/);
    }
    for (const headers of [{ origin: "https://evil.example" }, { origin: "null" }])
      assert.equal((await pages.post(path, { outcome: "complete" }, headers)).status, 403);
    assert.deepEqual(await state(shop), ["waiting", null]);
    const other = await addClockedMerchant(pages, NOW);
    for (const wrong of [
      path.replace(/.{4}$/, "0000"),
      path.replace(shop.gateway.id, other.gateway.id),
      path.replace("mandate/", "pay/"),
      "/sandbox-gateway/mandate/x/DO0123456789",
    ])
      assert.equal((await pages.get(wrong)).status, 404, wrong);
  });

  test("is rejected at once for an account ending in 09, and is one for one reference", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const call = await callAs(pages, shop);
    const bank = { ...request(shop).bank, number: "62123456709" };
    const rejected = await create(request(shop, { bank, accountReference: "DO0000000009" }), call);
    assert.deepEqual(rejected, { kind: "refused", reason: "The bank rejected the mandate for this account." });
    assert.partialDeepStrictEqual(await query("DO0000000009", call), { kind: "rejected" });
    const answers = await Promise.all([1, 2, 3].map(() => create(request(shop), call)));
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.equal((await create(request(shop, { amount: cents(1) }), call)).kind, "refused", "another amount");
    const elsewhere = request(shop, { accountReference: "DO1", notifyUrl: "http://169.254.169.254/" });
    assert.equal((await create(elsewhere, call)).kind, "refused");
    assert.equal(await query("DO1", call), null);
    const rows = await pages.query("select * from sandbox_mandates where organisation_id = $1", shop.organisation.id);
    assert.doesNotMatch(JSON.stringify(rows), /6212345|8001015009087/, "nothing is kept of account and person");
  });

  test("is reported on demand, by its account reference", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    await made(shop);
    const send = (status: "complete" | "failed" | "cancelled" | "pending", times = 1) =>
      shop.notify("DO0123456789", status, times);
    assert.deepEqual(await send("pending"), [200]);
    assert.deepEqual(await state(shop), ["waiting", null]);
    assert.deepEqual(await send("complete", 3), [200, 200, 200]);
    assert.deepEqual(await state(shop), ["accepted", null]);
    assert.deepEqual(await send("failed"), [200]);
    assert.deepEqual(await state(shop), ["accepted", null], "contradiction is told, not kept");
  });
});

test("a bank account gets a warning when it ends in 05, and no other", async () => {
  const call = await callAs(pages, await addClockedMerchant(pages, NOW));
  const check = (number: string) =>
    sandbox.bankAccountCheck?.({ holder: "T Nkosi", number, branchCode: "250655", type: "savings" }, call);
  for (const [number, count] of [
    ["62123456705", 1],
    ["62123456700", 0],
    ["1", 0],
    ["62123456709", 0],
  ] as const)
    assert.equal((await check(number))?.warnings.length, count, number);
});
