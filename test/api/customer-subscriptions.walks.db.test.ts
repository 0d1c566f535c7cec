import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { addDays, type CalendarDay } from "../../src/kernel/time.ts";
import { openApi, type TestApi } from "../support/api.ts";
import {
  openSubscriptionShop,
  type ShownSubscription,
  type SubscriptionShop,
} from "../support/customer-subscriptions.ts";
import { fc } from "../support/property.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.8 over HTTP and a database: what a preview said is what was then billed. The planner alone has walks of its own. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** `SUBSCRIPTION_WALKS=200` walks for minutes. */
const WALKS = Number(process.env["SUBSCRIPTION_WALKS"] ?? 8);

const PLANS = [
  { amount: 100, frequency: "monthly" },
  { amount: 317.77, frequency: "monthly", setupFee: 49.99 },
  { amount: 250, frequency: "quarterly" },
  { amount: 1199.99, frequency: "annually", cycles: 3 },
];

const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("change" as const),
      plan: fc.nat({ max: PLANS.length - 1 }),
      quantity: fc.integer({ min: 1, max: 9 }),
      proration: fc.constantFrom("now", "now", "none", "next_renewal"),
      invoiceNow: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant("credit" as const), cents: fc.integer({ min: 1, max: 60_000 }) }),
  fc.record({ do: fc.constant("discount" as const), percent: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ do: fc.constant("usage" as const), quantity: fc.nat({ max: 900 }) }),
  fc.record({ do: fc.constant("item" as const), cents: fc.integer({ min: -9_000, max: 9_000 }) }),
);
const walks = fc.record({
  taxInclusive: fc.boolean(),
  plan: fc.nat({ max: PLANS.length - 1 }),
  trialDays: fc.constantFrom(0, 0, 0, 10),
  anchorDay: fc.constantFrom(undefined, undefined, 15, 31),
  steps: fc.array(fc.tuple(action, fc.nat({ max: 45 })), { minLength: 3, maxLength: 6 }),
});
type Walk = typeof walks extends fc.Arbitrary<infer T> ? T : never;
type Action = Walk["steps"][number][0];

interface Reason {
  readonly id?: string;
  readonly less: readonly { readonly by: string; readonly amount: number }[];
}
interface Bill {
  readonly date: string;
  readonly periodStart: string;
  readonly lines: readonly { readonly amount: number; readonly reason: Reason }[];
  readonly subtotal: number;
  readonly tax: number;
  readonly total: number;
}
interface Preview {
  readonly prorationInvoice: (Bill & { readonly dueNow: number; readonly creditToNextRenewal: number }) | null;
}
interface Invoice {
  readonly id: string;
  readonly charge: string;
  readonly periodStart: string;
  readonly lines: readonly { readonly reason: Reason }[];
  readonly subtotal: number;
  readonly taxAmount: number;
  readonly total: number;
}

const cents = (rand: number) => Math.trunc(rand * 100 + Math.sign(rand) / 2);
type Reasoned = readonly { readonly reason: Reason }[];
const reasonsOf = (lines: Reasoned) => lines.map(({ reason }) => reason);
const withoutIds = (lines: Reasoned) => reasonsOf(lines).map(({ id: _id, ...reason }) => reason);

/** One subscription, what is done with it, and what its previews said. */
class Walker {
  readonly shop: SubscriptionShop;
  readonly plans: readonly string[];
  id = "";
  today = "2027-01-31" as CalendarDay;

  constructor(shop: SubscriptionShop, plans: readonly string[]) {
    this.shop = shop;
    this.plans = plans;
  }

  async post<Body>(path: string, body: object): Promise<Body> {
    const answer = await this.shop.shop.post<Body>(path, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  }

  act = <Body = ShownSubscription>(action: string, body: object) =>
    this.post<Body>(`/customer-subscriptions/${this.id}/${action}`, body);

  body = (given: object) => ({
    ...{ customer: { id: this.shop.customer }, planId: this.plans[0], collectionMethod: "invoice" },
    ...{ externalReference: "walk", ...given },
  });

  async begin({ plan, trialDays, anchorDay }: Walk): Promise<void> {
    const items = [{ code: "calls", kind: "metered", description: "Calls", unitAmount: 0.35 }];
    const billing = anchorDay === undefined ? {} : { billingAnchorDay: anchorDay };
    const given = this.body({ planId: this.plans[plan], trialDays, items, ...billing });
    this.id = (await this.post<ShownSubscription>("/customer-subscriptions", given)).id;
  }

  /** The next bill, as a dry run says. */
  async next(): Promise<Bill | null> {
    const dry = { ...this.body({}), dryRun: true };
    return (await this.post<{ preview: { nextInvoice: Bill | null } }>("/customer-subscriptions", dry)).preview
      .nextInvoice;
  }

  invoices = async () => (await this.shop.invoices(this.id)) as readonly object[] as readonly Invoice[];

  /** Lives days: each bill that falls due is what the dry run before it said. */
  async pass(days: number): Promise<void> {
    if (days === 0) return;
    const until = addDays(this.today, days);
    for (let bill = await this.next(); bill !== null && bill.date <= until; bill = await this.next()) {
      await this.shop.move(bill.date);
      this.compare(bill, await this.invoices());
    }
    await this.shop.move(until);
    this.today = until;
  }

  compare(said: Bill, invoices: readonly Invoice[]): void {
    const made = invoices.find(({ charge, periodStart }) => charge !== "proration" && periodStart === said.periodStart);
    assert.equal(made !== undefined, said.total > 0, `a bill from ${said.periodStart}`);
    if (!made) return;
    assert.deepEqual([made.subtotal, made.taxAmount, made.total], [said.subtotal, said.tax, said.total]);
    assert.deepEqual(reasonsOf(made.lines), reasonsOf(said.lines));
  }

  async change({ plan, do: _do, ...given }: Extract<Action, { do: "change" }>): Promise<void> {
    const body = { planId: this.plans[plan], ...given };
    const before = await this.shop.now(this.id);
    const preview = await this.act<Preview>("preview-change", body);
    const { change, charge, ...now } = await this.act<
      ShownSubscription & { change: Preview; charge: { invoiceId: string; amount: number } | null }
    >("change-plan", body);
    assert.deepEqual(change, preview);
    const said = preview.prorationInvoice;
    assert.equal(charge?.amount ?? 0, said?.dueNow ?? 0);
    const used = (charge ? (said?.lines ?? []) : []).flatMap(({ reason: { less } }) =>
      less.flatMap(({ by, amount }) => (by === "credit" ? cents(amount) : [])),
    );
    const [invoice] = await this.invoices();
    if (charge && said) {
      assert.deepEqual([invoice?.id, invoice?.subtotal, invoice?.total], [charge.invoiceId, said.subtotal, said.total]);
      assert.deepEqual(withoutIds(invoice?.lines ?? []), withoutIds(said.lines));
      const credited = cents(Number(before["credit"])) - used.reduce((all, one) => all + one, 0);
      assert.equal(cents(Number(now["credit"])), credited + cents(said.creditToNextRenewal));
    }
  }

  async perform(action: Action): Promise<void> {
    const description = "A reason";
    if (action.do === "change") await this.change(action);
    else if (action.do === "credit") await this.act("credit", { amount: action.cents / 100, description });
    else if (action.do === "discount") await this.act("discount", { percent: action.percent, description });
    else if (action.do === "usage") await this.act("items/calls/usage", { quantity: action.quantity });
    else await this.act("items", { kind: "one_time", description, unitAmount: action.cents / 100 });
  }

  async go({ steps }: Walk): Promise<void> {
    for (const [what, days] of steps) {
      if ((await this.shop.now(this.id)).status === "expired") return;
      await this.perform(what);
      await this.pass(days);
    }
  }
}

test("whatever is changed, what previews and dry runs said is what is then billed, to the cent", {
  timeout: 900_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(walks, async (walk) => {
      const shop = await openSubscriptionShop(api);
      const { taxInclusive } = walk;
      const plans: string[] = [];
      for (const [place, plan] of PLANS.entries())
        plans.push(await shop.addPlan({ name: `Plan ${place}`, taxInclusive, ...plan }));
      const walker = new Walker(shop, plans);
      await walker.begin(walk);
      await walker.go(walk);
      assert.deepEqual((await shop.now(walker.id))["id"], walker.id);
    }),
    { numRuns: WALKS, endOnFailure: true },
  );
});
