import assert from "node:assert/strict";
import { test } from "node:test";
import { day, priceOf, termsOf } from "../../../test/support/customer-subscription.ts";
import { brand } from "../../../test/support/page-models.ts";
import { fc } from "../../../test/support/property.ts";
import { portalSubscriptionModel } from "../../../test/support/subscription-page-models.ts";
import type { Frequency } from "../../kernel/frequency.ts";
import { cents, ZERO } from "../../kernel/money.ts";
import { addDays, addMonths, type CalendarDay, dayOfMonth, monthsSinceYearZero } from "../../kernel/time.ts";
import { billDue } from "../../modules/customer-subscriptions/rules/planner/due.ts";
import { promisedCharges } from "../../modules/customer-subscriptions/rules/planner/promise.ts";
import { create } from "../../modules/customer-subscriptions/rules/planner/start.ts";
import type { Coupon, Outcome, Price, Subscription } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import { trialEndingMail } from "../../templates/mails/customer-subscription.ts";
import { type OfferModel, particulars } from "../../templates/pages/checkout.ts";
import { portalSubscriptionPage } from "../../templates/pages/portal-subscription.ts";
import { chargesInWords } from "../../templates/wording.ts";

/*
 * What a payer reads before paying is what is charged: the tests read back the words of page, mail and portal, and
 * compare them with the bills that follow.
 */

const TODAY = day("2027-01-01");
const CHARGES = 9;
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const EVERY: Readonly<Record<string, number>> = {
  "every month": 1,
  "every 3 months": 3,
  "every 6 months": 6,
  "every year": 12,
};

/** A charge as people read it. */
const charge = (on: CalendarDay, total: number): string => `${on} ${total}`;

const dayOf = (words: string): CalendarDay => {
  const [date = "", month = "", year = ""] = words.split(" ");
  return day([year, String(MONTHS.indexOf(month) + 1).padStart(2, "0"), date.padStart(2, "0")].join("-"));
};

/** The first charges that words announce: amounts on days, or from a day on at every period. */
function read(words: string): string[] {
  const one =
    /R ([\d ]+)\.(\d\d) (?:on|(every [a-z0-9 ]+?) from) (\d+ [A-Z][a-z]+ \d{4})(?: \(later on the (\d+)[^)]*\))?(?:, (\d+) times?)?/g;
  return [...words.replaceAll("\u00a0", " ").matchAll(one)].flatMap(
    ([, rand = "", c = "", every, from = "", last, times]) => {
      const total = Number(rand.replaceAll(" ", "")) * 100 + Number(c);
      const months = every === undefined ? 0 : (EVERY[every] ?? assert.fail(every));
      const count = every === undefined ? 1 : Number(times ?? CHARGES);
      return Array.from({ length: Math.min(count, CHARGES) }, (_, n) =>
        charge(dayOfMonth(monthsSinceYearZero(dayOf(from)) + n * months, Number(last ?? dayOf(from).slice(8))), total),
      );
    },
  );
}

const textOf = (page: { readonly toString: () => string } | null): string =>
  String(page)
    .replace(/<[^>]+>/g, "")
    .replaceAll("&nbsp;", " ")
    .replace(/\s+/g, " ");

/** The first charges that are billed. */
function billed(sub: Subscription): string[] {
  const made: string[] = [];
  let now: Outcome | null = null;
  for (let until = TODAY; made.length < CHARGES && until < "2075-01-01"; until = addMonths(until, 1)) {
    now = billDue(now?.after ?? sub, until);
    made.push(...now.bills.filter(({ total }) => total > 0).map(({ date, total }) => charge(date, total)));
    if (now.nextDue === null) break;
  }
  return made;
}

interface World {
  readonly price: Price;
  readonly coupon: Coupon | null;
  readonly trialDays: number;
  readonly anchorDay: number | null;
}

const worlds: fc.Arbitrary<World> = fc.record({
  price: fc
    .record({
      rand: fc.constantFrom(0, 10, 99.99, 200, 310),
      fee: fc.constantFrom(0, 0, 100, 0.5),
      frequency: fc.constantFrom<Frequency>("monthly", "quarterly", "annually"),
      cycles: fc.constantFrom(null, null, 1, 2, 5),
      taxInclusive: fc.boolean(),
    })
    .map(({ rand, fee, ...rest }) => priceOf("Gold", rand, { setupFee: cents(Math.round(fee * 100)), ...rest })),
  coupon: fc.option(
    fc
      .record({
        off: fc.constantFrom({ percent: "50" as never }, { percent: "100" as never }, { amount: cents(50_00) }),
        limit: fc.constantFrom(null, 1, 3),
      })
      .map((of) => ({ id: "coup_1", code: "SPRING", used: 0, planIds: null, ...of })),
  ),
  trialDays: fc.constantFrom(0, 0, 7, 30),
  anchorDay: fc.constantFrom(null, null, 1, 15),
});

const created = ({ price, coupon, trialDays, anchorDay }: World) =>
  create(
    {
      terms: termsOf(price),
      periodMoves: "when_billed",
      startsOn: TODAY,
      trialDays,
      paidThrough: null,
      billingAnchorDay: anchorDay,
      coupon,
      credits: [],
    },
    TODAY,
  );

test("each amount and date that page, mail and portal promise is charged, and nothing else", () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const { bills, after } = created(world);
      const charges = promisedCharges(after);
      const expected = billed(after);
      const [first] = bills;
      const model: OfferModel = {
        id: "plan_1",
        name: "Gold",
        currency: "ZAR",
        lines: [],
        discount: ZERO,
        taxRate: "15",
        taxInclusive: false,
        tax: ZERO,
        total: first?.total ?? ZERO,
        trialEnd: world.trialDays === 0 ? null : addDays(TODAY, world.trialDays - 1),
        later: { charges },
      };
      const page = textOf(particulars(model, { brand, portal: { url: "https://x", ends: true } }));
      const mail = trialEndingMail({
        brand: { ...brand, contact: null } as never,
        planName: "Gold",
        accountUrl: "https://x",
        lastDay: TODAY,
        charges,
        currency: "ZAR",
        metered: [],
      });
      const portal = textOf(
        portalSubscriptionPage({
          ...portalSubscriptionModel,
          next: null,
          plans: [],
          addOns: [],
          charges,
          currency: "ZAR",
        }),
      );
      for (const [where, text] of Object.entries({ page, mail: mail.text.replace(/\s+/g, " "), portal })) {
        assert.deepEqual(read(text).slice(0, CHARGES), expected, `${where}: ${text}`);
        assert.doesNotMatch(text.replaceAll("\u00a0", " "), /R 0\.00/, where);
      }
      if (charges.length > 0) {
        const [, total] = /You pay (R [\d ]+\.\d\d) today/.exec(page.replaceAll("\u00a0", " ")) ?? [];
        assert.equal(total !== undefined, model.total > 0, page);
        const ends = world.price.cycles !== null && expected.length < CHARGES && expected.length > 0;
        if (ends) assert.match(page, new RegExp(`, ${expected.length + (model.total > 0 ? 1 : 0)} charges? in all`));
      }
    }),
    { numRuns: 400 },
  );
});

const FEE = priceOf("Gold", 200, { setupFee: cents(100_00) });
const half = (limit: number | null): Coupon => ({
  id: "c",
  code: "C",
  off: { percent: "50" as never },
  limit,
  used: 0,
  planIds: null,
});
const SAID: [what: string, World, words: string][] = [
  [
    "a trial with a set-up fee",
    { price: FEE, coupon: null, trialDays: 7, anchorDay: null },
    "R 345.00 on 8 January 2027, then R 230.00 every month from 8 February 2027",
  ],
  [
    "a coupon for every charge",
    { price: priceOf("Gold", 200), coupon: half(null), trialDays: 7, anchorDay: null },
    "R 115.00 every month from 8 January 2027",
  ],
  [
    "a coupon that runs out",
    { price: priceOf("Gold", 200), coupon: half(3), trialDays: 0, anchorDay: null },
    "R 115.00 every month from 1 February 2027, 2 times, then R 230.00 every month from 1 April 2027",
  ],
  [
    "a coupon of everything",
    {
      price: priceOf("Gold", 200),
      coupon: { ...half(2), off: { percent: "100" as never } },
      trialDays: 0,
      anchorDay: null,
    },
    "nothing until 1 March 2027, then R 230.00 every month from 1 March 2027",
  ],
  ["a free plan", { price: priceOf("Gold", 0), coupon: null, trialDays: 0, anchorDay: null }, ""],
];
for (const [what, world, words] of SAID)
  test(`in words: ${what}`, () =>
    assert.equal(chargesInWords(promisedCharges(created(world).after), "ZAR").replaceAll("\u00a0", " "), words));
