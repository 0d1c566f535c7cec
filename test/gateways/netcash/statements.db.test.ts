import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../../support/api.ts";
import { addCardCustomer, type CardShop } from "../../support/cards.ts";
import { batchNow, gathered, submit } from "../../support/debit-batches.ts";
import { addActiveMandate, type Shown } from "../../support/mandates.ts";
import type { RunBody } from "../../support/reconciliation.ts";
import { closeVerified } from "../../support/verified.ts";
import { openStandIn, type StandIn } from "../stand-in.ts";
import { standIn as protocol } from "./stand-in.ts";

/* What statements do to debits, whatever the order and the number of times in which they are read. */

let api: TestApi;
let standIn: StandIn;
/** As when Netcash has closed the account's service key. */
let refusesStatements = false;
/** Changes what statements say. */
let rewrite = (text: string): string => text;
before(async () => {
  standIn = await openStandIn({
    ...protocol,
    open(frame) {
      const netcash = protocol.open(frame);
      return {
        ...netcash,
        async answer(request) {
          const reply = await netcash.answer(request);
          const refused = refusesStatements && request.text.includes("RequestMerchantStatement");
          const body = refused ? reply.body?.replace(/(Result>)[^<]*/, "$1100") : reply.body && rewrite(reply.body);
          return { ...reply, body: body ?? "" };
        },
      };
    },
  });
  api = await openApi({ GATEWAY_URL_NETCASH: standIn.url });
});
after(() => closeVerified(api).finally(() => standIn.close()));

interface Debited extends CardShop {
  readonly mandate: Shown;
  readonly reference: string;
}

/** A merchant with one debit that Netcash has authorised, for 2027-03-05. */
async function openDebited(): Promise<Debited> {
  const shop = await api.addMerchant({ clockAt: new Date("2027-03-01T10:00:00Z") as never });
  const staff = await shop.signIn();
  const added = await staff<{ id: string }>("POST", "/gateways", { type: "netcash", credentials: standIn.credentials });
  assert.equal(added.status, 201, added.text);
  const stage: CardShop = {
    ...{ api, shop, staff },
    account: { id: added.body.id } as CardShop["account"],
    customer: await addCardCustomer(shop),
    async move(now) {
      standIn.setNow(new Date(now));
      const answer = await staff<{ ran: Record<string, number> }>("POST", "/test-clock", { now });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.ran;
    },
  };
  const mandate = await addActiveMandate(stage, { debitDay: 5, amount: 350.5 });
  const batch = await gathered(stage, "2027-03-05");
  assert.equal((await submit(stage, batch)).status, 200);
  await stage.move("2027-03-02T10:00:00Z");
  assert.equal((await batchNow(stage, batch)).status, "submitted");
  return { ...stage, mandate, reference: `${mandate["accountReference"]}-20270305` };
}

const stateOf = async ({ shop, reference }: Debited) => {
  const { body } = await shop.get(`/transactions/${reference}`);
  return [body["status"], ((body["reversals"] as unknown[] | undefined) ?? []).length];
};
const linesOf = ({ shop }: Debited) =>
  api.query<{ status: string }>(
    "select status from gateway_statement_lines where organisation_id = $1 order by line",
    shop.organisation.id,
  );

const STRANGE = "DO9999999999-20270305";

/**
 * The account's runs, oldest first, each with its items by status, amount, reference and the payment that it is. The
 * merchants of a test share an account at the stand-in, so lines about the others' debits, and runs of nothing else,
 * are left out.
 */
async function runsOf({ shop, staff, reference }: Debited) {
  const { body } = await shop.get<{ data: RunBody[] }>("/reconciliation/runs?limit=100");
  const door = await staff<{ data: RunBody[] }>("GET", "/reconciliation/runs?limit=100");
  assert.deepEqual(door.body.data, body.data);
  const whole = await Promise.all(body.data.map(({ id }) => shop.get<RunBody>(`/reconciliation/runs/${id}`)));
  const runs = whole.reverse().map(({ body: { items, ...run } }) => {
    assert.partialDeepStrictEqual(run, { source: "statement_feed", account: "Netcash", currency: "ZAR" });
    return {
      status: run.status,
      day: run.startedAt.slice(0, 10),
      period: [...new Set([run.periodStart, run.periodEnd])].join(),
      items: items
        .filter((item) => [reference, STRANGE].includes(item.reference ?? ""))
        .map((item) => [item.status, item.amount, item.reference, item.transactionReference]),
    };
  });
  return runs.filter(({ status, items }) => status === "failed" || items.length > 0);
}

test("a debit that was collected counts after two business days, once, though its line is read every day", async () => {
  const debited = await openDebited();
  await standIn.acts.endsDebit?.(debited.reference, "paid");
  await debited.move("2027-03-08T10:00:00Z");
  assert.deepEqual(await stateOf(debited), ["pending", 0]);
  assert.deepEqual(await linesOf(debited), [{ status: "waiting" }]);
  await debited.move("2027-03-09T06:44:00Z");
  assert.deepEqual(await stateOf(debited), ["pending", 0]);
  await debited.move("2027-03-09T06:50:00Z");
  assert.deepEqual(await stateOf(debited), ["complete", 0]);
  await debited.move("2027-03-20T10:00:00Z");
  assert.deepEqual(await linesOf(debited), [{ status: "applied" }]);
  const facts = await api.query<{ source: string; outcome: string }>(
    "select source, outcome from gateway_notifications where organisation_id = $1",
    debited.shop.organisation.id,
  );
  assert.deepEqual(facts, [{ source: "statement", outcome: "applied" }]);
  const item = ["matched", 350.5, debited.reference, debited.reference];
  assert.deepEqual(await runsOf(debited), [
    { status: "completed", day: "2027-03-06", period: "2027-03-05", items: [item] },
  ]);
  const { body } = await debited.staff<{ data: object[] }>("GET", "/reconciliation/awaited");
  assert.deepEqual(body.data, []);
  const entries = await api.query(
    "select id from journal_entries where organisation_id = $1 and kind = 'bank_match'",
    debited.shop.organisation.id,
  );
  assert.deepEqual(entries, [], "the money is at the gateway still");
});

test("a line that names none of our payments, or another amount, is left to a person", async () => {
  const [strange, more] = [await openDebited(), await openDebited()];
  rewrite = (text) =>
    text
      .replaceAll(strange.reference, STRANGE)
      .replace(new RegExp(`350\\.5\\d*(?=\\t\\+\\t\\S*\\t${more.reference})`), "350.6000");
  for (const { reference } of [strange, more]) await standIn.acts.endsDebit?.(reference, "paid");
  await more.move("2027-03-08T10:00:00Z").finally(() => (rewrite = (text) => text));
  const items = (await runsOf(more)).flatMap((run) => run.items);
  assert.deepEqual(items.toSorted(), [
    ["unmatched", 350.5, STRANGE, null],
    ["unmatched", 350.6, more.reference, null],
  ]);
});

test("without the plan's feature statements are read, and no run is made", async () => {
  const debited = await openDebited();
  await debited.shop.change({ plan: "growth" });
  await standIn.acts.endsDebit?.(debited.reference, "paid");
  await debited.move("2027-03-09T10:00:00Z");
  assert.deepEqual(await stateOf(debited), ["complete", 0]);
  await debited.shop.change({ plan: "business" });
  assert.deepEqual(await runsOf(debited), []);
});

test("one that comes back before it counts has failed, and the line that it was collected never counts", async () => {
  const debited = await openDebited();
  await standIn.acts.endsDebit?.(debited.reference, "unpaid");
  await debited.move("2027-03-06T10:00:00Z");
  assert.deepEqual(await stateOf(debited), ["failed", 0]);
  await debited.move("2027-03-20T10:00:00Z");
  assert.deepEqual(await stateOf(debited), ["failed", 0]);
  assert.deepEqual(await linesOf(debited), [{ status: "taken_back" }, { status: "applied" }]);
  const { reference } = debited;
  assert.deepEqual(
    (await runsOf(debited)).flatMap(({ items }) => items),
    [
      ["matched", 350.5, reference, reference],
      ["matched", -350.5, reference, reference],
    ],
  );
});

test("one that comes back after a month is reversed, once", async () => {
  const debited = await openDebited();
  await standIn.acts.endsDebit?.(debited.reference, "paid");
  await debited.move("2027-04-05T10:00:00Z");
  await standIn.acts.reverses?.(debited.reference);
  await debited.move("2027-04-06T10:00:00Z");
  assert.deepEqual(await stateOf(debited), ["complete", 1]);
  await debited.move("2027-04-15T10:00:00Z");
  assert.deepEqual(await stateOf(debited), ["complete", 1]);
  assert.deepEqual(
    (await runsOf(debited)).map(({ day, items }) => [day, items.map(([status, amount]) => [status, amount])]),
    [
      ["2027-03-06", [["matched", 350.5]]],
      ["2027-04-06", [["matched", -350.5]]],
    ],
  );
});

for (const kind of ["error", "silence", "half", "html", "garbled", "redirect"] as const)
  test(`a statement that is answered by ${kind} is read again, and nothing is lost`, async () => {
    const debited = await openDebited();
    await standIn.acts.endsDebit?.(debited.reference, "paid");
    standIn.failAnswers({ kind, times: 6 });
    await debited.move("2027-03-09T10:00:00Z");
    assert.deepEqual(await stateOf(debited), ["complete", 0]);
  });

test("staff are told once a day that statements are refused, and what was missed is read later", async () => {
  const debited = await openDebited();
  await standIn.acts.endsDebit?.(debited.reference, "paid");
  refusesStatements = true;
  await debited.move("2027-03-10T10:00:00Z").finally(() => (refusesStatements = false));
  assert.deepEqual(await stateOf(debited), ["pending", 0]);
  const mails = await api.query<{ subject: string }>(
    "select subject from emails where organisation_id = $1 and about = $2 and kind = 'staff_alert'",
    debited.shop.organisation.id,
    debited.account.id,
  );
  assert.equal(mails.length, 8, "one for each morning from the third to the tenth");
  const failed = await debited.shop.get<{
    data: { status: string; failure: string; finishedAt: string; totals: object }[];
  }>("/reconciliation/runs");
  assert.equal(failed.body.data.length, 8);
  for (const run of failed.body.data) {
    assert.partialDeepStrictEqual(run, { status: "failed", totals: { items: 0, unmatched: 0 } });
    assert.match(run.failure, /key/);
    assert.ok(run.finishedAt);
  }
  await debited.move("2027-03-11T10:00:00Z");
  assert.deepEqual(await stateOf(debited), ["complete", 0]);
});

test("a statement that cannot be read for an hour is a run that failed, once a day", async () => {
  const debited = await openDebited();
  await standIn.acts.endsDebit?.(debited.reference, "paid");
  standIn.failAnswers({ kind: "html", times: 10_000 });
  await debited.move("2027-03-04T10:00:00Z").finally(() => standIn.mend());
  const failed = (day: string) => ({ status: "failed", day, period: "2027-03-01", items: [] });
  assert.deepEqual(await runsOf(debited), [failed("2027-03-03"), failed("2027-03-04")]);
});

test("an account without payments is asked for no statement", async () => {
  const shop = await api.addMerchant({ clockAt: new Date("2027-03-01T10:00:00Z") as never });
  const staff = await shop.signIn();
  await staff("POST", "/gateways", { type: "netcash", credentials: standIn.credentials });
  const before = standIn.requests.length;
  await staff("POST", "/test-clock", { now: "2027-03-20T10:00:00Z" });
  assert.equal(standIn.requests.length, before);
});

test("payers come back to their page, and nobody comes back to a payment of another account", async () => {
  const debited = await openDebited();
  const other = await openDebited();
  const open = (account: string, reference: string) =>
    api.call("GET", `/gateway-return/netcash?account=${account}&Reference=${reference}`);
  for (const [account, reference] of [
    [debited.account.id, "TEFO-20270301-00000000"],
    [debited.account.id, debited.reference],
    [debited.account.id, other.reference],
    ["gw_00000000000000000000000000", debited.reference],
    ["x", debited.reference],
    [debited.account.id, ""],
  ])
    assert.equal((await open(String(account), String(reference))).status, 404, `${account} ${reference}`);
});
