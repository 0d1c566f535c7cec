import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addDays, type CalendarDay } from "../../src/kernel/time.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { type ExternalShop, NO_TRACES, openExternalShop } from "../support/external-subscriptions.ts";
import { fc } from "../support/property.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.8, sync-period: random reports, compared with a model that only knows the eight rules. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const TODAY = "2027-01-31" as CalendarDay;
const WALKS = 20;
const STEPS = 25;

/** What is recorded, as the rules speak of it. */
interface Model {
  readonly start: CalendarDay;
  readonly end: CalendarDay;
  readonly status: string;
  readonly cycles: number;
  readonly ended: boolean;
}

/** A report: days from the start and the end that are recorded, with a length; or a cancellation, or its undoing. */
interface Step {
  readonly act: "sync" | "cancel" | "reactivate";
  readonly from: "start" | "end";
  readonly shift: number;
  readonly days: number;
  readonly status: "active" | "past_due" | "trialing" | null;
}

const STEP: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom("sync", "sync", "sync", "sync", "sync", "sync", "cancel", "reactivate"),
  from: fc.constantFrom("start", "end"),
  shift: fc.oneof(fc.constant(0), fc.integer({ min: -40, max: 40 })),
  days: fc.oneof(fc.constant(0), fc.integer({ min: -3, max: 60 })),
  status: fc.constantFrom("active", "past_due", "trialing", null),
});

/** The rules, in the order in which a call meets them: the answer, and what is recorded then. */
function expected(model: Model, start: CalendarDay, end: CalendarDay, sent: Step["status"]): [string, Model] {
  const status = sent ?? model.status;
  if (end <= start) return ["400 invalid_request", model];
  if (model.ended) return ["409 invalid_state", model];
  const isSame = start === model.start && end === model.end;
  if (isSame && status === model.status) return ["200", model];
  if (start < model.start && end < model.end && status === model.status) return ["409 stale_period", model];
  if (end <= TODAY && status !== "past_due") return ["400 invalid_request", model];
  const cycles = start === model.end ? model.cycles + 1 : model.cycles;
  return ["200", { start, end, status, cycles, ended: false }];
}

async function walk(shop: ExternalShop, id: string, steps: readonly Step[]): Promise<void> {
  let model: Model = {
    start: "2027-01-15" as CalendarDay,
    end: "2027-02-15" as CalendarDay,
    status: "active",
    cycles: 0,
    ended: false,
  };
  const post = (path: string, body: object) =>
    shop.shop.post<{ error?: string }>(`/customer-subscriptions/${id}${path}`, body);
  for (const { act, from, shift, days, status } of steps) {
    const start = addDays(model[from], shift);
    // Zero keeps the end that is recorded, when that is possible.
    const end = days === 0 && model.end > start ? model.end : addDays(start, days);
    if (act === "cancel") {
      assert.equal((await post("/cancel", { when: "now" })).status, 200);
      model = { ...model, ended: true };
    } else if (act === "reactivate") {
      const { status: code } = await post("/reactivate", {});
      assert.equal(code, 200);
      const again = model.status === "trialing" && model.end > TODAY ? "trialing" : "active";
      if (model.ended) model = { ...model, ended: false, status: again };
    } else {
      const body = { currentPeriodStart: start, currentPeriodEnd: end, ...(status && { status }) };
      const answer = await post("/sync-period", body);
      const [wanted, next] = expected(model, start, end, status);
      const got = answer.status === 200 ? "200" : `${answer.status} ${answer.body.error}`;
      assert.equal(got, wanted, `${JSON.stringify(model)} ${JSON.stringify(body)} ${answer.text}`);
      model = next;
    }
    const now = await shop.now(id);
    assert.deepEqual(
      [now["currentPeriodStart"], now["currentPeriodEnd"], now.status, now["cyclesBilled"]],
      [model.start, model.end, model.ended ? "cancelled" : model.status, model.cycles],
    );
  }
}

test("random reports leave what the rules say", async () => {
  const shop = await openExternalShop(api);
  let walks = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: STEPS }), async (steps) => {
      const { id } = await shop.record({ externalReference: `walk-${walks++}` });
      await walk(shop, id, steps);
      const shadow = await shop.shop.get<{ data: { periodStart: string; periodEnd: string }[] }>(
        `/customer-subscriptions/${id}/shadow?limit=100`,
      );
      const periods = shadow.body.data;
      for (const [at, { periodStart }] of periods.entries())
        assert((periods[at + 1]?.periodEnd ?? "") <= periodStart, "recorded periods do not overlap");
      assert.equal((await shop.now(id))["currentPeriodStart"], periods[0]?.periodStart);
    }),
    { numRuns: WALKS, endOnFailure: true },
  );
  const { subscriptions: _, periods: _periods, ...traces } = await shop.traces();
  assert.deepEqual(traces, NO_TRACES);
});
