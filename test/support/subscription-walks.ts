import assert from "node:assert/strict";
import type { Decimal } from "../../src/kernel/decimal.ts";
import { FREQUENCIES, MONTHS } from "../../src/kernel/frequency.ts";
import { cents } from "../../src/kernel/money.ts";
import { addDays, type CalendarDay } from "../../src/kernel/time.ts";
import { invoiceLines } from "../../src/modules/customer-subscriptions/rules/planner/bills.ts";
import { change } from "../../src/modules/customer-subscriptions/rules/planner/change.ts";
import { billDue, billPaid, end, nextBill } from "../../src/modules/customer-subscriptions/rules/planner/due.ts";
import {
  giveAnchorDay,
  moveNextBilling,
  reactivate,
  resume,
} from "../../src/modules/customer-subscriptions/rules/planner/move-and-resume.ts";
import { create } from "../../src/modules/customer-subscriptions/rules/planner/start.ts";
import type {
  Bill,
  Outcome,
  PeriodMoves,
  Price,
  Subscription,
  Terms,
} from "../../src/modules/customer-subscriptions/rules/planner/types.ts";
import { addon, coupon, credit, day, metered, oneTime, priceOf } from "./customer-subscription.ts";
import { DayReckoner, type WalkTerms, type World } from "./day-reckoner.ts";
import { fc } from "./property.ts";

type Action =
  | {
      readonly do: "change";
      readonly terms: WalkTerms;
      readonly proration: "none" | "now" | "next_renewal";
      readonly invoiceNow: boolean;
    }
  | { readonly do: "credit"; readonly cents: number }
  | { readonly do: "discount"; readonly percent: number }
  | { readonly do: "usage"; readonly quantity: number }
  | { readonly do: "one_time"; readonly cents: number }
  | { readonly do: "move_next"; readonly days: number }
  | { readonly do: "anchor"; readonly day: number }
  | { readonly do: "pause"; readonly days: number; readonly terms: WalkTerms | null }
  | ({ readonly do: "cancel"; readonly days: number } & Again)
  | { readonly do: "pay" }
  | { readonly do: "cancel_at_end" };

/** How it is reactivated: so many days until the next billing date, if any. */
interface Again {
  readonly next: number | null;
  readonly chargeNow: boolean | null;
}

/** A subscription, and what happens to it after so many days each. */
export interface Walk {
  readonly world: World;
  /** Of each plan. */
  readonly taxInclusive: readonly boolean[];
  readonly periodMoves: PeriodMoves;
  readonly steps: readonly (Action & { readonly after: number })[];
}

const amounts = fc.oneof(fc.constantFrom(0, 1, 10_000, 31_000, 9_999), fc.integer({ min: 1, max: 5_000_000 }));
const terms = fc.record({
  plan: fc.nat({ max: 3 }),
  quantity: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 40 })),
  addons: fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 1 })),
});
const plan = fc.record({
  cents: amounts,
  months: fc.oneof(fc.constant(1), fc.constantFrom(...FREQUENCIES.map((name) => MONTHS[name]))),
  setUpCents: fc.oneof(fc.constant(0), amounts),
  cycles: fc.oneof(
    { weight: 5, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 6 }) },
  ),
});
const sometimes = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
const percent = fc.integer({ min: 1, max: 100 });
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("change" as const),
      terms,
      proration: fc.constantFrom("now", "now", "none", "next_renewal"),
      invoiceNow: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant("credit" as const), cents: fc.integer({ min: 1, max: 100_000 }) }),
  fc.record({ do: fc.constant("discount" as const), percent }),
  fc.record({ do: fc.constant("usage" as const), quantity: fc.nat({ max: 500 }) }),
  fc.record({ do: fc.constant("one_time" as const), cents: fc.integer({ min: -50_000, max: 50_000 }) }),
  fc.record({ do: fc.constant("move_next" as const), days: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ do: fc.constant("anchor" as const), day: fc.integer({ min: 1, max: 31 }) }),
  fc.record({ do: fc.constant("pause" as const), days: fc.nat({ max: 60 }), terms: sometimes(terms) }),
  fc.record({
    do: fc.constant("cancel" as const),
    days: fc.nat({ max: 60 }),
    next: sometimes(fc.integer({ min: 1, max: 60 })),
    chargeNow: fc.constantFrom(null, null, true, false),
  }),
  { weight: 3, arbitrary: fc.constant({ do: "pay" as const }) },
  fc.record({ do: fc.constant("cancel_at_end" as const) }),
);

/** 2027-01-01, in days since 1970: the leap day of 2028 is within the walks. */
const FIRST_DAY = 20_819;

type WalkCoupon = World["coupon"];

const couponFor = (plan: fc.Arbitrary<number | null>) =>
  fc
    .record({
      percent: sometimes(percent),
      cents: fc.integer({ min: 1, max: 60_000 }),
      limit: fc.constantFrom("first" as const, "first" as const, 1, 2, 5, null),
      plan,
    })
    .map(({ limit, ...given }) => ({ ...given, limit: limit === "first" ? 1 : limit, first: limit === "first" }));

/** Random subscriptions with such coupons, and what happens to them. */
const walksWith = (coupons: fc.Arbitrary<WalkCoupon>): fc.Arbitrary<Walk> =>
  fc.record({
    world: fc
      .record({
        plans: fc.tuple(plan, plan, plan, plan),
        addonCents: fc.tuple(amounts, amounts),
        usageCents: fc.oneof(
          fc.integer({ min: 0, max: 1_000 }).map((one) => [one, one, one, one]),
          fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 4, maxLength: 4 }),
        ),
        coupon: coupons,
        today: fc.integer({ min: FIRST_DAY, max: FIRST_DAY + 800 }),
        wait: sometimes(fc.integer({ min: 1, max: 40 })),
        trialDays: fc.oneof(
          { weight: 3, arbitrary: fc.constant(0) },
          { weight: 1, arbitrary: fc.integer({ min: 1, max: 40 }) },
        ),
        paid: sometimes(fc.integer({ min: 1, max: 100 })),
        anchorDay: sometimes(fc.integer({ min: 1, max: 31 })),
        terms,
      })
      .map(({ wait, paid, ...world }) => ({
        ...world,
        startsOn: world.today + (paid === null ? (wait ?? 0) : 0),
        trialDays: paid === null ? world.trialDays : 0,
        paidThrough: paid === null ? null : world.today + paid,
      })),
    taxInclusive: fc.oneof(
      { weight: 4, arbitrary: fc.boolean().map((value) => [value, value, value, value]) },
      { weight: 1, arbitrary: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }) },
    ),
    periodMoves: fc.constantFrom("when_billed", "when_billed", "when_paid"),
    steps: fc.array(
      fc.tuple(action, fc.oneof(fc.nat({ max: 12 }), fc.nat({ max: 70 }))).map(([what, after]) => ({ ...what, after })),
      { maxLength: 10 },
    ),
  });

/** Random subscriptions and what happens to them. */
export const walks = walksWith(sometimes(couponFor(sometimes(fc.nat({ max: 3 })))));
/** As `walks`, each with a coupon that is for one plan alone. */
export const couponWalks = walksWith(couponFor(fc.nat({ max: 1 })));

const dateOf = (days: number): CalendarDay => addDays(day("1970-01-01"), days);

function priceIn({ world, taxInclusive }: Walk, index: number): Price {
  const { cents: amount, months, setUpCents, cycles } = world.plans[index]!;
  const frequency = FREQUENCIES.find((name) => MONTHS[name] === months)!;
  return priceOf(String(index), 0, {
    amount: cents(amount),
    setupFee: cents(setUpCents),
    frequency,
    cycles,
    taxInclusive: taxInclusive[index]!,
  });
}

/** Terms as the planner takes them. One-time items that wait stay on the list. */
const termsIn = (walk: Walk, { plan: index, quantity, addons }: WalkTerms, waiting: Terms["items"] = []): Terms => ({
  price: priceIn(walk, index),
  quantity,
  items: [
    ...addons.flatMap((count, at) =>
      count === 0 ? [] : [addon(`addon ${at}`, walk.world.addonCents[at]! / 100, String(count))],
    ),
    metered("calls", walk.world.usageCents[index]! / 100),
    ...waiting.filter(({ kind }) => kind === "one_time"),
  ],
});

/** What holds for every bill: its lines add up, their reasons too, and the invoice shows the same total. */
function checkBill(bill: Bill): void {
  const add = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  assert.equal(bill.subtotal + bill.tax, bill.total);
  assert.equal(add(bill.lines.map(({ amount }) => amount)), bill.taxInclusive ? bill.total : bill.subtotal);
  assert.equal(add(bill.lines.map(({ tax }) => tax)), bill.tax);
  const net = invoiceLines(bill);
  assert.equal(add(net.map(({ amount, tax }) => amount + tax)), bill.total);
  for (const { amount, reason, description, details } of bill.lines) {
    assert.ok(amount >= 0);
    assert.equal(reason.full - add(reason.less.map((off) => off.amount)), amount);
    if (reason.days !== null && reason.days.billed !== reason.days.of)
      assert.ok(description.includes(`(${reason.days.billed} of ${reason.days.of} days)`), description);
    if (reason.less.length > 0) assert.notEqual(details, null);
  }
  const credits = bill.lines.flatMap(({ reason }) => reason.less.filter(({ by }) => by === "credit"));
  assert.equal(add(credits.map(({ amount }) => amount)), add(bill.creditsUsed.map(({ amount }) => amount)));
}

const total = (values: readonly { readonly amount: number }[]) => values.reduce((all, { amount }) => all + amount, 0);

/** One walk, by the planner and by the reckoner, which is compared with it after each step. */
export class Walker {
  readonly walk: Walk;
  readonly reckoner: DayReckoner;
  sub: Subscription;
  today: number;
  bills: Bill[] = [];
  /** Cents of credit that staff gave. */
  credited = 0;
  ended = false;
  /** Makes ids. */
  count = 0;

  constructor(walk: Walk) {
    const { world } = walk;
    this.walk = walk;
    this.today = world.today;
    this.reckoner = new DayReckoner(world);
    const off = world.coupon;
    const outcome = create(
      {
        terms: termsIn(walk, world.terms),
        periodMoves: walk.periodMoves,
        startsOn: dateOf(world.startsOn),
        trialDays: world.trialDays,
        paidThrough: world.paidThrough === null ? null : dateOf(world.paidThrough),
        billingAnchorDay: world.anchorDay,
        coupon: off && {
          ...coupon(off.percent === null ? { rand: off.cents / 100 } : { percent: off.percent }, off.limit),
          ...(off.first ? { first: true as const } : {}),
          planIds: off.plan === null ? null : [`plan_${off.plan}`],
        },
        credits: [],
      },
      dateOf(world.today),
    );
    this.sub = outcome.after;
    this.take(outcome, []);
    this.reckoner.passTo(world.today, this.most());
    this.compare();
  }

  /** Applies an outcome: credit in, rewritten for VAT or made, is credit used and left. */
  take(outcome: Outcome, before = this.sub.credits): void {
    const { bills, creditsMade, creditsRestated, after, ends } = outcome;
    assert.equal(
      total(before) + total(creditsMade) + creditsRestated.reduce((all, { from, to }) => all + to - from, 0),
      total(bills.flatMap(({ creditsUsed }) => creditsUsed)) + total(after.credits),
    );
    for (const bill of bills) checkBill(bill);
    this.bills.push(...bills);
    // What is stored and read back is the same.
    assert.deepEqual(JSON.parse(JSON.stringify(after)), after);
    this.sub = after;
    this.ended = ends !== null;
  }

  /**
   * What was billed, and what waits (but usage, which its bill reduces), is what the days cost, but for one rounding a
   * line. Amounts with VAT and without it cannot be added.
   */
  compareCosts(): void {
    const { reckoner, sub } = this;
    if (new Set(this.walk.taxInclusive).size > 1) return;
    const waiting = sub.carried.filter(({ usageOf }) => usageOf === undefined);
    const billed = total(this.bills.flatMap(({ lines }) => lines)) + total(waiting) - total(sub.credits);
    const { num, den } = reckoner.total();
    const difference = Math.abs(Number(((BigInt(billed + this.credited) * den - num) * 1000n) / den)) / 1000;
    assert.ok(difference <= reckoner.roundings / 2 + 0.001, `differs by ${difference} cents of ${billed}`);
  }

  compare(): void {
    const { reckoner, sub } = this;
    this.compareCosts();
    assert.equal(this.ended, reckoner.ended);
    assert.equal(sub.cyclesBilled, reckoner.cyclesBilled);
    if (!this.ended) assert.equal((sub.awaiting ?? sub.period)?.next ?? sub.startsOn, dateOf(reckoner.nextDue()!));
  }

  /** No more bills of periods than these: the next one waits for a payment. */
  most(): number {
    return this.sub.awaiting === null ? Number.POSITIVE_INFINITY : this.sub.cyclesBilled;
  }

  /** Lives days: what falls due is what the preview of it showed. */
  pass(days: number): void {
    this.today += days;
    if (!this.ended) {
      const shown = nextBill(this.sub);
      const outcome = billDue(this.sub, dateOf(this.today));
      if (outcome.bills.length > 0) assert.deepEqual(outcome.bills[0], shown);
      this.take(outcome);
      this.reckoner.passTo(this.today, this.most());
    }
    if (this.ended) this.again({ next: null, chargeNow: null });
    this.compare();
  }

  again({ next, chargeNow }: Again): void {
    const asked = next === null ? null : this.today + next;
    const nextBillingAt = asked === null ? null : dateOf(asked);
    this.take(reactivate(this.sub, { nextBillingAt, chargeNow, creditId: `again ${this.count}` }, dateOf(this.today)));
    this.reckoner.reactivate(this.today, asked, chargeNow, this.most());
    assert.equal(this.ended, false);
  }

  pay(): void {
    const shown = nextBill(this.sub);
    const outcome = billPaid(this.sub, dateOf(this.today));
    if (outcome.bills.length > 0) assert.deepEqual(outcome.bills[0], shown);
    this.take(outcome);
    this.reckoner.passTo(this.today, this.most());
  }

  change({ terms: asked, proration, invoiceNow }: Extract<Action, { do: "change" }>): void {
    const wanted = {
      terms: termsIn(this.walk, asked, this.sub.terms.items),
      proration,
      invoiceNow,
      creditId: `change ${this.count}`,
    };
    const { preview } = change(JSON.parse(JSON.stringify(this.sub)), wanted, dateOf(this.today));
    const outcome = change(this.sub, wanted, dateOf(this.today));
    assert.deepEqual(outcome.preview, preview);
    const billed = outcome.bills.reduce((all, bill) => all + bill.total, 0);
    assert.equal(billed, preview.prorationInvoice?.dueNow ?? 0);
    assert.equal(total(outcome.creditsMade), preview.prorationInvoice?.creditToNextRenewal ?? 0);
    if (preview.prorationInvoice) checkBill(preview.prorationInvoice.bill);
    this.take(outcome);
    this.reckoner.change(this.today, asked, proration);
    assert.deepEqual(nextBill(this.sub), preview.nextInvoice);
  }

  addItem(given: number): void {
    const item = oneTime(`once ${this.count}`, given / 100);
    this.sub = { ...this.sub, terms: { ...this.sub.terms, items: [...this.sub.terms.items, item] } };
    this.reckoner.oneTime.push(given);
  }

  use(quantity: number): void {
    this.reckoner.usage += quantity;
    const usage = String(this.reckoner.usage) as Decimal;
    const items = this.sub.terms.items.map((item) => (item.kind === "metered" ? { ...item, usage } : item));
    this.sub = { ...this.sub, terms: { ...this.sub.terms, items } };
  }

  /** Pauses, changes the terms with `now` if any are given, lets days pass, and resumes. */
  pause(days: number, asked: WalkTerms | null): void {
    if (asked !== null) {
      const terms = termsIn(this.walk, asked, this.sub.terms.items);
      const creditId = `never ${this.count}`;
      const wanted = { terms, proration: "now", invoiceNow: true, creditId, isPaused: true } as const;
      const { bills, ...outcome } = change(this.sub, wanted, dateOf(this.today));
      assert.deepEqual(bills, []);
      this.take({ ...outcome, bills });
      this.reckoner.changePaused(this.today, asked);
    }
    this.today += days;
    this.take(resume(this.sub, dateOf(this.today), `resume ${this.count}`));
    this.reckoner.resume(this.today, this.most());
  }

  /** Cancels, lets days pass, and reactivates. */
  cancel(days: number, how: Again): void {
    this.take(end(this.sub, dateOf(this.today), "cancelled"));
    this.reckoner.end();
    this.today += days;
    this.again(how);
  }

  perform(action: Action): void {
    this.count++;
    const { reckoner, sub, count } = this;
    if (action.do === "change") this.change(action);
    else if (action.do === "usage") this.use(action.quantity);
    else if (action.do === "one_time") this.addItem(action.cents);
    else if (action.do === "pause") this.pause(action.days, action.terms);
    else if (action.do === "cancel") this.cancel(action.days, action);
    else if (action.do === "pay") this.pay();
    else if (action.do === "credit") {
      this.credited += action.cents;
      this.sub = { ...sub, credits: [...sub.credits, credit(`credit ${count}`, action.cents / 100)] };
    } else if (action.do === "discount") {
      const discount = { id: `discount ${count}`, description: "loyal", percent: String(action.percent) as Decimal };
      reckoner.discounts.push(action.percent);
      this.sub = { ...sub, discounts: [...sub.discounts, discount] };
    } else if (action.do === "move_next") {
      reckoner.moveNext(this.today + action.days);
      this.sub = moveNextBilling(sub, dateOf(this.today + action.days));
    } else if (action.do === "anchor") {
      reckoner.giveAnchor(action.day);
      this.sub = giveAnchorDay(sub, action.day);
    } else {
      reckoner.cancelAtEnd = true;
      this.sub = { ...sub, cancelAtPeriodEnd: true };
    }
  }

  /** Goes to the end of the walk, and two periods further. Answers how many bills were made. */
  go(): number {
    for (const { after, ...action } of this.walk.steps) {
      this.pass(after);
      this.perform(action);
      this.compare();
    }
    this.pass(62);
    const starts = this.bills.filter(({ kind }) => kind !== "proration").map(({ start }) => start);
    assert.equal(new Set(starts).size, starts.length, "a period was billed twice");
    return this.bills.length;
  }
}
