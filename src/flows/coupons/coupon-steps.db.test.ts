import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type StaffCall, type TestApi } from "../../../test/support/api.ts";
import type { ApiError } from "../../kernel/errors.ts";
import type { CouponId, CustomerId, PlanId } from "../../kernel/ids.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { honourRedemption, redeemCoupon, releaseRedemption } from "./coupon-steps.ts";

/* Interface 16.12: a coupon's redemptions are counted once under any concurrency, and can be released. */

const AT_ONCE = 20;
const SALE = { sold: { planId: "plan_1" as PlanId }, currency: "ZAR" } as const;

describe("redemptions", () => {
  let api: TestApi;
  let merchant: ApiMerchant;
  let staff: StaffCall;
  let ctx: Ctx;
  let codes = 0;
  const customers: CustomerId[] = [];
  before(async () => {
    api = await openApi();
    merchant = await api.addMerchant();
    staff = await merchant.signIn("owner");
    ctx = await merchant.ctx();
    for (let at = 0; at < AT_ONCE; at++) {
      const { body } = await merchant.post<{ id: CustomerId }>("/customers", { externalReference: `c-${at}` });
      customers.push(body.id);
    }
  });
  after(() => api.close());

  const customer = (at: number): CustomerId => {
    const id = customers[at];
    assert(id);
    return id;
  };
  const add = async (body: object = {}): Promise<CouponId> => {
    const answer = await staff<{ id: CouponId }>("POST", "/coupons", { code: `c${++codes}`, percent: 10, ...body });
    assert.equal(answer.status, 201, answer.text);
    return answer.body.id;
  };
  const write = <T>(work: (tx: Tx) => Promise<T>) => api.services.db.transaction(merchant.organisation.id, work);
  const redeem = (couponId: CouponId, subject: string, of = 0) =>
    write((tx) => redeemCoupon(tx, ctx, { couponId, subject, customerId: customer(of), ...SALE }));
  const release = (couponId: CouponId, subject: string) =>
    write((tx) => releaseRedemption(tx, ctx, { couponId, subject }));
  const honour = (couponId: CouponId, subject: string) => write((tx) => honourRedemption(tx, { couponId, subject }));
  const shown = async (id: CouponId) => (await staff("GET", `/coupons/${id}`)).body["redemptions"];
  const stored = async (id: CouponId) => {
    const [row] = await api.query<{ count: number }>(
      "select count(*)::integer as count from coupon_redemptions where coupon_id = $1 and released_at is null",
      id,
    );
    return row?.count;
  };
  const settled = async <T>(works: readonly Promise<T>[]) => {
    const results = await Promise.allSettled(works);
    const refused = results.flatMap((one) => (one.status === "rejected" ? [one.reason as ApiError] : []));
    return { done: results.length - refused.length, refused: new Set(refused.map(({ message }) => message)) };
  };

  test(`${AT_ONCE} customers at once redeem a coupon for 3: 3 have it, ${AT_ONCE - 3} are refused`, async () => {
    const id = await add({ maxRedemptions: 3 });
    const { done, refused } = await settled(customers.map((_, at) => redeem(id, `sub-${at}`, at)));
    assert.deepEqual([done, [...refused]], [3, ["This coupon has been used up."]]);
    assert.deepEqual([await shown(id), await stored(id)], [3, 3]);
  });

  test(`${AT_ONCE} subscriptions of one customer at once, at most 2 of a customer: 2 have it, others may have it too`, async () => {
    const id = await add({ maxRedemptionsPerCustomer: 2 });
    const { done, refused } = await settled(customers.map((_, at) => redeem(id, `sub-${at}`, 0)));
    assert.deepEqual([done, [...refused]], [2, ["You have used this coupon already."]]);
    await redeem(id, "other", 1);
    assert.deepEqual([await shown(id), await stored(id)], [3, 3]);
  });

  test(`${AT_ONCE} redemptions of one subject at once count once, also when the coupon is used up by it`, async () => {
    const id = await add({ maxRedemptions: 1, maxRedemptionsPerCustomer: 1 });
    const { done } = await settled(customers.map(() => redeem(id, "same", 0)));
    assert.deepEqual([done, await shown(id), await stored(id)], [AT_ONCE, 1, 1]);
  });

  test("a released redemption no longer counts, is released once, and can be redeemed by another", async () => {
    const id = await add({ maxRedemptions: 1 });
    await redeem(id, "first", 0);
    await assert.rejects(redeem(id, "second", 1), /used up/);
    const released = await Promise.all(Array.from({ length: AT_ONCE }, () => release(id, "first")));
    assert.equal(released.filter(Boolean).length, 1);
    assert.deepEqual([await shown(id), await stored(id)], [0, 0]);
    await redeem(id, "second", 1);
    await assert.rejects(redeem(id, "first", 0), /used up/, "a new attempt asks the limits again");
    assert.equal(await release(id, "unknown"), false);
  });

  test("a payment that comes after its redemption was released is honoured, once, also beyond the limit", async () => {
    const id = await add({ maxRedemptions: 1 });
    await redeem(id, "first", 0);
    assert.equal(await honour(id, "first"), false, "it counts already");
    await release(id, "first");
    await redeem(id, "second", 1);
    const honoured = await Promise.all(Array.from({ length: AT_ONCE }, () => honour(id, "first")));
    assert.equal(honoured.filter(Boolean).length, 1);
    assert.deepEqual([await shown(id), await stored(id)], [2, 2]);
    await assert.rejects(redeem(id, "third", 2), /used up/);
    assert.equal(await release(id, "second"), true);
    await assert.rejects(redeem(id, "third", 2), /used up/, "the late one counts");
  });

  test("who has redeemed a coupon keeps its terms; who redeems it later gets the new ones", async () => {
    const id = await add({ duration: "cycles", cycles: 3 });
    const first = await redeem(id, "first", 0);
    assert.deepEqual([first.percent, first.duration, first.cycles], ["10", "cycles", 3]);
    assert.equal((await staff("PATCH", `/coupons/${id}`, { amount: 5, duration: "every" })).status, 200);
    const { percent, duration, cycles } = await redeem(id, "first", 0);
    assert.deepEqual([percent, duration, cycles], ["10", "cycles", 3]);
    const second = await redeem(id, "second", 1);
    assert.deepEqual([second.percent, second.amount, second.duration, second.cycles], [null, 500, "every", null]);
  });

  test("a limit cannot be set below what was redeemed, and a redeemed coupon is not deleted", async () => {
    const id = await add();
    for (const [at, subject] of ["a", "b"].entries()) await redeem(id, subject, at);
    await redeem(id, "c", 0);
    const refused = async (body: object) => (await staff("PATCH", `/coupons/${id}`, body)).status;
    assert.deepEqual([await refused({ maxRedemptions: 2 }), await refused({ maxRedemptions: 3 })], [400, 200]);
    assert.equal(await refused({ maxRedemptionsPerCustomer: 1 }), 400);
    assert.equal(await refused({ maxRedemptionsPerCustomer: 2 }), 200);
    for (const subject of ["a", "b", "c"]) await release(id, subject);
    const deleted = await staff("DELETE", `/coupons/${id}`);
    assert.deepEqual([deleted.status, deleted.body["error"]], [409, "invalid_state"], "a payment may still come");
  });

  test("a change of the limit and redemptions at once never leave more than the limit", async () => {
    const id = await add();
    const limit = staff("PATCH", `/coupons/${id}`, { maxRedemptions: 5 });
    await settled(customers.map((_, at) => redeem(id, `sub-${at}`, at)));
    const { status } = await limit;
    const count = Number(await shown(id));
    assert.ok(status === 400 ? count > 5 : count <= 5, `${status} with ${count}`);
    assert.equal(await stored(id), count);
  });

  test("a coupon of another organisation, a disabled one and a plan without Coupons are refused", async () => {
    const id = await add({ enabled: false });
    await assert.rejects(redeem(id, "a"), /not valid/);
    await assert.rejects(redeem("cpn_x" as CouponId, "a"), /not valid/);
    const starter = { ...ctx, organisation: { ...ctx.organisation, plan: "starter" } } as const;
    const open = await add();
    await assert.rejects(
      write((tx) => redeemCoupon(tx, starter, { couponId: open, subject: "a", customerId: customer(0), ...SALE })),
      /does not include Coupons/,
    );
    assert.equal(await stored(open), 0);
  });
});
