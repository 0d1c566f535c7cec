import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import {
  openSubscriptionShop,
  type ShownSubscription,
  type SubscriptionShop,
} from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.8 and 2.13: changes of plan, quantity and items, and what a preview says of them. */

interface Sums {
  readonly subtotal: number;
  readonly tax: number;
  readonly total: number;
}
interface Line {
  readonly description: string;
  readonly amount: number;
  readonly reason: { readonly full: number; readonly less: { readonly by: string; readonly amount: number }[] };
}
interface Preview {
  readonly proration: string;
  readonly note: string | null;
  readonly effectiveAt: string;
  readonly current: Sums & { readonly planName: string; readonly amount: number };
  readonly next: Sums & { readonly planName: string; readonly amount: number; readonly items: object[] };
  readonly prorationInvoice:
    | (Sums & {
        readonly lines: Line[];
        readonly dueNow: number;
        readonly creditToNextRenewal: number;
        readonly resetsPeriod: boolean;
      })
    | null;
  readonly nextInvoice: (Sums & { readonly date: string; readonly lines: Line[] }) | null;
}
interface ChangedPlan extends ShownSubscription {
  readonly change: Preview;
  readonly charge: { readonly invoiceId: string; readonly amount: number; readonly status: string } | null;
}

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const AT_ONCE = 20;
const path = (id: string, action: string) => `/customer-subscriptions/${id}/${action}`;

/** Previews a change, makes it, and returns both when they agree. */
async function change({ shop }: SubscriptionShop, id: string, body: object): Promise<ChangedPlan> {
  const previewed = await shop.post<Preview>(path(id, "preview-change"), body);
  assert.equal(previewed.status, 200, previewed.text);
  const changed = await shop.post<ChangedPlan>(path(id, "change-plan"), body);
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(changed.body.change, previewed.body);
  return changed.body;
}

const told = async (shop: SubscriptionShop, id: string) => (await shop.events(id)).map(({ type }) => type);

describe("a change of plan", () => {
  let shop: SubscriptionShop;
  let basic: string;
  let gold: string;
  let yearly: string;
  before(async () => {
    shop = await openSubscriptionShop(api);
    basic = await shop.addPlan({ name: "Basic", amount: 100, code: "basic" });
    gold = await shop.addPlan({ name: "Gold", amount: 310, code: "gold" });
    yearly = await shop.addPlan({ name: "Yearly", amount: 1200, frequency: "annually" });
    await shop.move("2027-03-01");
  });

  /** A subscription whose period is March 2027, on its 16th day. */
  async function inMarch(fields: object = {}): Promise<ShownSubscription> {
    const made = await shop.subscribe({ planId: basic, ...fields });
    assert.equal(made["currentPeriodStart"], "2027-03-01");
    return made;
  }

  test("applies from the next renewal by default, and nothing is charged", async () => {
    const { id } = await inMarch();
    const { change: preview, charge, ...after } = await change(shop, id, { plan: "gold", quantity: 2 });
    assert.equal(charge, null);
    assert.deepEqual(preview, {
      object: "subscription_change_preview",
      subscriptionId: id,
      requestedProration: "none",
      proration: "none",
      note: null,
      effectiveAt: "2027-02-28T22:00:00.000Z",
      currency: "ZAR",
      current: {
        planId: basic,
        planName: "Basic",
        quantity: 1,
        frequency: "monthly",
        amount: 100,
        subtotal: 100,
        tax: 15,
        total: 115,
      },
      next: {
        ...{ planId: gold, planName: "Gold", quantity: 2, frequency: "monthly", amount: 620 },
        ...{ subtotal: 620, tax: 93, total: 713, items: [] },
      },
      prorationInvoice: null,
      nextInvoice: {
        ...{ date: "2027-04-01", periodStart: "2027-04-01", periodEnd: "2027-04-30" },
        lines: preview.nextInvoice?.lines,
        ...{ subtotal: 620, tax: 93, total: 713 },
      },
    });
    assert.deepEqual(
      preview.nextInvoice?.lines.map(({ description, amount }) => [description, amount]),
      [["Gold", 620]],
    );
    assert.deepEqual(after["plan"], { id: gold, name: "Gold", packageId: shop.packageId, packageName: "Hosting" });
    assert.deepEqual([after["amount"], after["quantity"], after["pendingChange"]], [620, 2, null]);
    assert.deepEqual(await shop.now(id), after);
    assert.deepEqual(await told(shop, id), [
      "subscription.created",
      "subscription.activated",
      "subscription.plan_changed",
    ]);
  });

  test("a preview writes nothing, no entry of the audit log either", async () => {
    const made = await inMarch();
    const written = () =>
      api.query("select id from audit_log where organisation_id = $1 order by id", shop.shop.organisation.id);
    const before = await written();
    assert.notDeepEqual(before, []);
    const preview = await shop.shop.post<Preview>(path(made.id, "preview-change"), { planId: gold, proration: "now" });
    assert.equal(preview.status, 200, preview.text);
    assert.deepEqual(await written(), before);
  });

  test("with the next renewal waits until then, or is removed", async () => {
    const { id, ...first } = await inMarch();
    const body = {
      planId: gold,
      proration: "next_renewal",
      items: [{ code: "seat", kind: "addon", description: "Seat", unitAmount: 10 }],
    };
    const { change: preview, charge, ...waiting } = await change(shop, id, body);
    assert.equal(charge, null);
    assert.deepEqual(
      [preview.effectiveAt, preview.next.amount, preview.prorationInvoice],
      ["2027-03-31T22:00:00.000Z", 320, null],
    );
    const { items, ...pending } = waiting["pendingChange"] as Record<string, unknown>;
    assert.deepEqual(pending, {
      effectiveAt: "2027-03-31T22:00:00.000Z",
      plan: { id: gold, name: "Gold" },
      quantity: 1,
      amount: 320,
    });
    assert.deepEqual(
      (items as { code: string }[]).map(({ code }) => code),
      ["seat"],
    );
    assert.deepEqual([waiting["plan"], waiting["amount"], waiting["items"]], [first["plan"], 100, []]);
    const removed = await shop.shop.call<ShownSubscription>("DELETE", path(id, "pending-change"));
    assert.deepEqual([removed.status, removed.body["pendingChange"]], [200, null]);
    const again = await shop.shop.call<ShownSubscription>("DELETE", path(id, "pending-change"));
    assert.deepEqual([again.status, again.body], [200, removed.body]);
    assert.deepEqual((await told(shop, id)).slice(2), ["subscription.updated", "subscription.updated"]);
  });

  test("a plan that a change waits for cannot be deleted", async () => {
    const { id } = await inMarch();
    const other = await shop.addPlan({ name: "Other" });
    await change(shop, id, { planId: other, proration: "next_renewal" });
    const refused = await shop.staff("DELETE", `/packages/${shop.packageId}/plans/${other}`);
    assert.deepEqual([refused.status, refused.body["error"]], [409, "invalid_state"]);
    await shop.shop.call("DELETE", path(id, "pending-change"));
    assert.equal((await shop.staff("DELETE", `/packages/${shop.packageId}/plans/${other}`)).status, 200);
  });

  describe("in the middle of a period", () => {
    /** On 16 March 16 of 31 days are left. */
    let made: Record<"up" | "later" | "down" | "year" | "credited", string>;
    before(async () => {
      const one = async (fields: object = {}) => (await inMarch(fields)).id;
      made = {
        up: await one(),
        later: await one(),
        down: await one({ planId: gold }),
        year: await one(),
        credited: await one(),
      };
      await shop.move("2027-03-16");
    });

    test("a higher price is invoiced for the days that are left, less what was paid for them", async () => {
      const { change: preview, charge } = await change(shop, made.up, { planId: gold, proration: "now" });
      const { lines, ...costs } = preview.prorationInvoice ?? { lines: [] };
      assert.deepEqual(costs, {
        ...{ dueNow: 124.65, creditToNextRenewal: 0, resetsPeriod: false },
        ...{ periodStart: "2027-03-16", periodEnd: "2027-03-31", subtotal: 108.39, tax: 16.26, total: 124.65 },
      });
      assert.deepEqual(
        lines.map(({ description, amount, reason: { full, less } }) => [description, amount, full, less]),
        [
          [
            "Gold in place of Basic (16 of 31 days)",
            108.39,
            160,
            [{ by: "unused_days", name: "Basic", percent: null, amount: 51.61 }],
          ],
        ],
      );
      const [invoice = {}] = await shop.invoices(made.up);
      assert.deepEqual(charge, { invoiceId: invoice["id"], amount: 124.65, currency: "ZAR", status: "sent" });
      const { charge: kind, cycle, total, periodStart, periodEnd } = invoice;
      assert.deepEqual(
        [kind, cycle, total, periodStart, periodEnd],
        ["proration", 1, 124.65, "2027-03-16", "2027-03-31"],
      );
      const event = (await shop.events(made.up)).at(-1);
      assert.equal(event?.type, "subscription.plan_changed");
      assert.equal((event.data["invoice"] as { id: string }).id, invoice["id"]);
      const later = await change(shop, made.up, { planId: basic, proration: "now" });
      assert.deepEqual(
        [later.charge, later.change.prorationInvoice?.creditToNextRenewal, later["credit"]],
        [null, 108.39, 108.39],
      );
    });

    test("with invoiceNow false it waits for the next renewal", async () => {
      const { change: preview, charge } = await change(shop, made.later, {
        planId: gold,
        proration: "now",
        invoiceNow: false,
      });
      assert.deepEqual([charge, preview.prorationInvoice?.dueNow, preview.prorationInvoice?.total], [null, 0, 124.65]);
      assert.deepEqual([preview.nextInvoice?.date, preview.nextInvoice?.subtotal], ["2027-04-01", 418.39]);
      assert.equal((await shop.invoices(made.later)).length, 1);
    });

    test("a lower price is a credit, which the next bills use up", async () => {
      const { change: preview, charge, ...after } = await change(shop, made.down, { plan: "basic", proration: "now" });
      assert.deepEqual(
        [charge, preview.prorationInvoice?.dueNow, preview.prorationInvoice?.creditToNextRenewal],
        [null, 0, 108.39],
      );
      assert.deepEqual([preview.nextInvoice?.total, after["credit"]], [0, 108.39]);
    });

    test("another frequency begins a period today, charged in full less what was paid", async () => {
      const { change: preview, charge, ...after } = await change(shop, made.year, { planId: yearly, proration: "now" });
      assert.deepEqual(
        [preview.prorationInvoice?.resetsPeriod, preview.prorationInvoice?.subtotal, charge?.amount],
        [true, 1148.39, 1320.65],
      );
      assert.deepEqual(
        [
          after["currentPeriodStart"],
          after["currentPeriodEnd"],
          after["nextBillingAt"],
          after["cyclesBilled"],
          after["billingPeriod"],
        ],
        ["2027-03-16", "2028-03-15", "2028-03-15T22:00:00.000Z", 2, "annually"],
      );
    });

    test("a credit larger than any bill is used until it is used up", async () => {
      const given = await shop.shop.post<ShownSubscription>(path(made.credited, "credit"), {
        amount: 250,
        description: "Sorry",
      });
      assert.deepEqual([given.status, given.body["credit"]], [200, 250]);
      const { charge, ...after } = await change(shop, made.credited, { planId: gold, proration: "now" });
      assert.deepEqual([charge, after["credit"]], [null, 141.61]);
    });

    test("what was previewed is billed on the renewal", async () => {
      const ids = Object.values(made);
      const expected = await Promise.all(
        ids.map(
          async (id) => (await shop.shop.post<Preview>(path(id, "preview-change"), { quantity: 1 })).body.nextInvoice,
        ),
      );
      await shop.move("2027-04-01");
      for (const [place, id] of ids.entries()) {
        const preview = expected[place];
        if (preview?.date !== "2027-04-01") continue;
        const [invoice] = await shop.invoices(id);
        const billed =
          invoice?.["periodStart"] === "2027-04-01"
            ? [invoice["subtotal"], invoice["taxAmount"], invoice["total"]]
            : [0, 0, 0];
        assert.deepEqual(billed, [preview.subtotal, preview.tax, preview.total]);
      }
      const { credit } = await shop.now(made.down);
      assert.equal(credit, 8.39);
    });
  });

  test("that waits begins with the renewal, which says so", async () => {
    const { id } = await shop.subscribe({ planId: basic });
    await change(shop, id, { planId: gold, proration: "next_renewal" });
    await shop.move("2027-05-01");
    const after = await shop.now(id);
    assert.deepEqual(
      [(after["plan"] as { id: string }).id, after["amount"], after["pendingChange"]],
      [gold, 310, null],
    );
    const [invoice] = await shop.invoices(id);
    assert.equal(invoice?.["subtotal"], 310);
    assert.deepEqual((await told(shop, id)).slice(-3), [
      "subscription.updated",
      "subscription.plan_changed",
      "subscription.renewed",
    ]);
  });

  test("two at once are one after the other: nothing is charged twice", async () => {
    const { id } = await shop.subscribe({ planId: basic });
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () =>
        shop.shop.post<ChangedPlan>(path(id, "change-plan"), { planId: gold, proration: "now" }),
      ),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 200),
    );
    assert.equal(answers.filter(({ body }) => body.charge !== null).length, 1);
    assert.equal((await shop.invoices(id)).length, 2);
  });

  test("during the renewal comes before it or after it", async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, async () => (await shop.subscribe({ planId: basic })).id));
    const { nextBillingAt } = await shop.now(ids[0] ?? "");
    const [, ...answers] = await Promise.all([
      shop.move(String(nextBillingAt)),
      ...ids.map((id) => shop.shop.post<ChangedPlan>(path(id, "change-plan"), { planId: gold, proration: "now" })),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 200),
    );
    for (const id of ids) {
      const kinds = (await shop.invoices(id)).map(({ charge }) => charge);
      assert.deepEqual(kinds.toSorted(), ["cycle", "first", "proration"]);
      // However they came, the period costs the new price.
      const sum = (await shop.invoices(id)).reduce((all, { subtotal }) => all + Number(subtotal), 0);
      const { credit } = await shop.now(id);
      assert.ok(sum - Number(credit) > 400, String(sum));
    }
  });
});
