import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gatherDaily, gatherUpTo } from "../../src/flows/debit-batches/gather-debits.ts";
import { submitBatch } from "../../src/flows/debit-batches/submit-batch.ts";
import type { CalendarDay } from "../../src/kernel/time.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { atTheGateway, batchesOf, copyMandate } from "../support/debit-batches.ts";
import { addActiveMandate, openMandateShop } from "../support/mandates.ts";
import { closeVerified } from "../support/verified.ts";

/* Two processes that do the work of debit batches at the same moment, as when a lease has ended while its work goes on. */

let api: TestApi;
let second: TestApi;
before(async () => {
  api = await openApi();
  second = await openApi(api.environment);
});
after(async () => {
  await second.close();
  await closeVerified(api);
});

const MANDATES = 1_200;

test("two processes gather the same mandates, for the same day and for two days, and each is gathered once", async () => {
  for (const others of ["2027-03-05", "2027-03-08"] as const) {
    const shop = await openMandateShop(api);
    await copyMandate(shop, await addActiveMandate(shop, { debitDay: 5 }), MANDATES - 1);
    const ctx = { ...(await shop.shop.ctx()), now: new Date("2027-03-02T22:00:00Z") as never };
    await Promise.all([
      gatherDaily(api.services, ctx),
      gatherUpTo(second.services, ctx, others as CalendarDay),
      gatherUpTo(api.services, ctx, others as CalendarDay),
      gatherDaily(second.services, ctx),
    ]);
    const [debits] = await api.query<{ debits: number; mandates: number; payments: number; next: string }>(
      `select count(*)::int as debits, count(distinct d.mandate_id)::int as mandates, count(distinct d.transaction_id)::int as payments,
              (select string_agg(distinct m.next_debit_date::text, ',') from mandates m where m.organisation_id = $1) as next
         from debits d where d.organisation_id = $1`,
      shop.shop.organisation.id,
    );
    assert.deepEqual(debits, { debits: MANDATES, mandates: MANDATES, payments: MANDATES, next: "2027-04-05" });
    const counts = (await batchesOf(shop)).map(({ count }) => Number(count));
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      MANDATES,
    );
  }
});

test("two processes send one batch, and its lines reach the gateway once", async () => {
  const shop = await openMandateShop(api);
  await copyMandate(shop, await addActiveMandate(shop, { debitDay: 5 }), MANDATES - 1);
  const ctx = { ...(await shop.shop.ctx()), now: new Date("2027-03-02T22:00:00Z") as never };
  await gatherDaily(api.services, ctx);
  const [batch] = await batchesOf(shop);
  // Each process has an address of its own here, and the sandbox gateway takes that of the process which answers for it.
  const submit = ({ services }: TestApi) =>
    submitBatch(services, { ...ctx, baseUrl: services.baseUrl }, batch?.id ?? "");
  await Promise.all([api, second, api, second].map(submit));
  const [sent] = await batchesOf(shop);
  assert.equal(sent?.status, "submitted", JSON.stringify(sent));
  const lines = await atTheGateway(shop);
  assert.equal(lines.length, MANDATES);
  assert.ok(lines.every(({ lines: times }) => times === 1));
});
