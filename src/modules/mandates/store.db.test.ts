import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../../../test/support/api.ts";
import {
  addActiveMandate,
  type MandateShop,
  mandateNow,
  openMandateShop,
  type Shown,
} from "../../../test/support/mandates.ts";
import type { MandateId } from "../../kernel/ids.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { collected, nextDebitDate, unpaid } from "./rules.ts";
import { lockMandates, saveDebitDates, saveDebitOutcomes } from "./store.ts";
import type { Mandate } from "./types.ts";

let api: TestApi;
let stage: MandateShop;
before(async () => {
  api = await openApi();
  stage = await openMandateShop(api);
});
// `verify` does not run at the end: this test writes the outcomes of debits on mandates without the debits, which
// `verify` would compare with them.
after(() => api.close());

const idOf = ({ id }: Shown) => id as MandateId;

/** Changes the mandates by the outcome of a debit of each. */
async function end(by: (mandate: Mandate) => Mandate, mandates: readonly Shown[]): Promise<void> {
  const ctx = await stage.shop.ctx();
  await api.services.db.transaction(ctx.organisation.id, async (tx) => {
    const locked = await lockMandates(tx, mandates.map(idOf));
    saveDebitOutcomes(tx, ctx.now, [...locked.values()].map(by));
  });
}

const endUnpaid = (on: string, ...mandates: Shown[]) => end((mandate) => unpaid(mandate, on as CalendarDay), mandates);
const endCollected = (on: string, ...mandates: Shown[]) =>
  end((mandate) => collected(mandate, on as CalendarDay), mandates);

test("the third unpaid debit in a row pauses a mandate; one that is collected in between begins the row anew", async () => {
  const [one, two] = [await addActiveMandate(stage), await addActiveMandate(stage)];
  await endUnpaid("2027-01-25", one, two);
  await endUnpaid("2027-02-25", one, two);
  assert.partialDeepStrictEqual(await mandateNow(stage, one), { status: "active", failureCount: 2 });
  await endCollected("2027-03-25", two);
  await endUnpaid("2027-04-25", one, two);
  assert.partialDeepStrictEqual(await mandateNow(stage, one), {
    status: "paused",
    failureCount: 3,
    nextDebitDate: null,
  });
  assert.partialDeepStrictEqual(await mandateNow(stage, two), {
    status: "active",
    failureCount: 1,
    lastCollectedAt: "2027-03-25",
    nextDebitDate: "2027-03-25",
  });
  const resumed = await stage.shop.call("PATCH", `/mandates/${one["id"]}`, { body: { status: "active" } });
  assert.partialDeepStrictEqual(resumed.body, { status: "active", failureCount: 0, nextDebitDate: "2027-03-25" });
});

test("an unpaid debit of a mandate that was cancelled meanwhile is counted and changes nothing else", async () => {
  const mandate = await addActiveMandate(stage);
  await stage.shop.call("PATCH", `/mandates/${mandate["id"]}`, { body: { status: "cancelled" } });
  for (const month of ["01", "02", "03"]) await endUnpaid(`2027-${month}-25`, mandate);
  assert.partialDeepStrictEqual(await mandateNow(stage, mandate), { status: "cancelled", failureCount: 3 });
});

test("reports of older debits do not move the date of the last one back", async () => {
  const mandate = await addActiveMandate(stage);
  await endCollected("2027-04-25", mandate);
  await endCollected("2027-03-25", mandate);
  assert.equal((await mandateNow(stage, mandate))["lastCollectedAt"], "2027-04-25");
});

test("mandates move on to their next dates together", async () => {
  const mandates = [await addActiveMandate(stage), await addActiveMandate(stage, { endDate: "2027-03-26" })];
  const ctx = await stage.shop.ctx();
  await api.services.db.transaction(ctx.organisation.id, async (tx) => {
    const locked = [...(await lockMandates(tx, mandates.map(idOf))).values()];
    const on = "2027-03-25" as CalendarDay;
    saveDebitDates(
      tx,
      ctx.now,
      on,
      locked.map((mandate) => ({
        id: mandate.id,
        lastDebitDate: on,
        nextDebitDate: nextDebitDate({ ...mandate, lastDebitDate: on }, on),
      })),
    );
  });
  const dates = await Promise.all(mandates.map((mandate) => mandateNow(stage, mandate)));
  assert.deepEqual(
    dates.map((mandate) => mandate["nextDebitDate"]),
    ["2027-04-25", null],
  );
});
