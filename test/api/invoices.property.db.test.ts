import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { type InvoiceAnswer, type Invoicing, openInvoicing } from "../support/invoices.ts";
import { notify, openStandIn, refundAnswer, type StandIn } from "../support/payments.ts";
import { fc } from "../support/property.ts";
import { faultsOf } from "../support/verified.ts";

const RUNS = 15;

let gateway: StandIn;
let api: TestApi;
before(async () => {
  gateway = await openStandIn();
  gateway.replies.set("POST refunds", (call) => refundAnswer(call, "pending"));
  api = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
});
after(async () => {
  await api.close();
  await gateway.close();
});

/** A merchant's records, and the expected amounts in cents. */
interface World {
  readonly shop: Invoicing;
  readonly staff: StaffCall;
  readonly invoices: InvoiceAnswer[];
  readonly payments: string[];
  /** Refunds that the gateway has accepted and not completed yet. */
  readonly accepted: { readonly reference: string; readonly cents: number }[];
  received: number;
  credited: number;
  refunded: number;
}

/** `which` chooses one of the existing records, or none; amounts are cents. */
type Command = { readonly name: string; readonly which: number; readonly cents: number; readonly part: number };

const rand = (cents: number) => Math.max(1, Math.round(cents)) / 100;
const cents = (amount: unknown) => Math.round(Number(amount) * 100);
const picked = <T>(all: readonly T[], which: number): T | undefined => all[which % Math.max(1, all.length)];

async function done(answer: Promise<{ status: number; text: string }>): Promise<boolean> {
  const { status, text } = await answer;
  assert.ok(status < 500, text);
  return status < 300;
}

const COMMANDS: Readonly<Record<string, (world: World, command: Command) => Promise<void>>> = {
  async create({ shop, invoices }, { cents: price, part }) {
    const lines = [
      { description: "Work", quantity: 1, unitPrice: rand(price), taxRate: 15 },
      { description: "Rent", quantity: 0.333, unitPrice: rand(price), taxRate: 0 },
    ];
    const { status, body } = await shop.create({ lines, send: part > 0.5 });
    assert.equal(status, 201);
    invoices.push(body);
  },
  async send({ shop, invoices }, { which }) {
    const invoice = picked(invoices, which);
    if (invoice) await done(shop.act(invoice.id, "send"));
  },
  async payOffline(world, { which, part }) {
    const invoice = picked(world.invoices, which);
    const amount = invoice && rand(invoice.total * 100 * part);
    if (invoice && amount && (await done(world.shop.payOffline(invoice.id, amount)))) world.received += cents(amount);
  },
  async payOnline(world, { which, part }) {
    const invoice = picked(world.invoices, which);
    if (!invoice) return;
    const amount = rand(invoice.total * 100 * part * 1.5);
    world.payments.push(await world.shop.payOnline(invoice.id, amount));
    world.received += cents(amount);
  },
  async credit(world, { cents: given }) {
    const body = { customerId: world.shop.customerId, amount: rand(given), reason: "Goodwill" };
    if (await done(world.staff("POST", "/credit-notes", body))) world.credited += cents(rand(given));
  },
  async correct(world, { which, part }) {
    const invoice = picked(world.invoices, which);
    const amount = invoice && rand(invoice.total * 100 * part);
    if (
      invoice &&
      (await done(world.staff("POST", "/credit-notes", { invoiceId: invoice.id, amount, reason: "Wrong" })))
    )
      world.credited += cents(amount);
  },
  async cancel({ shop, invoices }, { which }) {
    const invoice = picked(invoices, which);
    if (invoice) await done(shop.act(invoice.id, "cancel"));
  },
  async refund(world, { which, cents: given }) {
    const reference = picked(world.payments, which);
    const body = { amount: rand(given / 4), method: "manual" };
    if (reference && (await done(world.staff("POST", `/transactions/${reference}/refunds`, body))))
      world.refunded += cents(body.amount);
  },
  async refundByGateway(world, { which, cents: given }) {
    const reference = picked(world.payments, which);
    const body = { amount: rand(given / 4), method: "gateway" };
    if (!reference || !(await done(world.staff("POST", `/transactions/${reference}/refunds`, body)))) return;
    world.refunded += cents(body.amount);
    world.accepted.push({ reference, cents: cents(body.amount) });
  },
  async refundFails(world, { which }) {
    const { accepted, shop } = world;
    const [failing] = accepted.splice(which % Math.max(1, accepted.length), 1);
    if (!failing) return;
    const refund = await api.query<{ id: string; provider_ref: string }>(
      `select id, provider_ref from refunds where organisation_id = $1 and status = 'pending' and amount_cents = $2
          and transaction_id = (select id from transactions where reference = $3) limit 1`,
      shop.merchant.organisation.id,
      failing.cents,
      failing.reference,
    );
    const told = { reference: failing.reference, amount: failing.cents, status: "refused", reason: null } as const;
    const { id = "", provider_ref = "" } = refund[0] ?? {};
    const occurredAt = "2027-03-01T10:00:00.000Z";
    await notify(api, shop.account, { refund: { ...told, id: provider_ref, refundId: id, occurredAt } });
    world.refunded -= failing.cents;
  },
};

const command: fc.Arbitrary<Command> = fc.record({
  name: fc.constantFrom(...Object.keys(COMMANDS), "create", "payOnline", "cancel", "refundByGateway", "refundFails"),
  which: fc.nat(5),
  cents: fc.integer({ min: 1, max: 50_000 }),
  part: fc.double({ min: 0, max: 1, noNaN: true }),
});

test("random invoices, payments, credits, cancellations and refunds: the books have every cent, and verify finds no fault", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 25, size: "max" }), async (commands) => {
      const shop = await openInvoicing(api);
      const staff = await shop.merchant.signIn("finance");
      const world: World = {
        shop,
        staff,
        invoices: [],
        payments: [],
        accepted: [],
        received: 0,
        credited: 0,
        refunded: 0,
      };
      for (const one of commands) await (COMMANDS[one.name] ?? assert.fail(one.name))(world, one);
      const now = await Promise.all(world.invoices.map(({ id }) => shop.show(id)));
      const standing = await shop.standing();
      const books = await shop.books();
      const paid = now
        .filter(({ status }) => status !== "cancelled")
        .reduce((sum, one) => sum + cents(one.amountPaid), 0);
      const due = now
        .filter(({ status }) => status !== "cancelled" && status !== "draft")
        .reduce((sum, one) => sum + cents(one.amountDue), 0);
      assert.equal(cents(standing["balance"]), due, "the books know what is owed");
      const outOfCredit = world.refunded - (books["refunds"] ?? 0);
      assert.equal(paid + cents(standing["credit"]), world.received + world.credited - outOfCredit, "no cent is lost");
      const money = ["bank", "gateway_clearing", "gateway_fees"].reduce((sum, name) => sum + (books[name] ?? 0), 0);
      assert.equal(money, world.received - world.refunded);
      for (const { amountPaid, amountDue, total, status } of now) {
        assert.equal(cents(amountPaid) + cents(amountDue), cents(total));
        assert.equal(status === "paid", cents(amountDue) === 0);
      }
      assert.deepEqual(await faultsOf(api, shop.merchant.organisation), []);
    }),
    { numRuns: RUNS },
  );
});
