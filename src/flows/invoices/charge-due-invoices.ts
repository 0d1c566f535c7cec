import { isOpen } from "../../domain/invoices.ts";
import { assert } from "../../kernel/assert.ts";
import { ZERO } from "../../kernel/money.ts";
import { calendarDay, type Instant } from "../../kernel/time.ts";
import { CHARGE_DUE_INVOICE } from "../../modules/card-charges/declarations.ts";
import { CHARGE_MAX } from "../../modules/card-charges/rules.ts";
import { isChargedWhenDue, listDueInvoicesWithCard } from "../../modules/card-charges/store.ts";
import { lockCards } from "../../modules/cards/store.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { settingsOf } from "../../modules/organisations/schema.ts";
import { lockSettings } from "../../modules/organisations/store.ts";
import { hasPaymentUnderWay } from "../../modules/payments/store/payments.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { type AskedCharge, chargeStoredCard, recordCharge } from "../card-charges/charge-stored-card.ts";
import { chargingGateway } from "../card-charges/charging-gateway.ts";
import { type Ctx, DEFAULT_CURRENCY, isReadOnlyNow } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";
import type { Services } from "../services.ts";
import { lockInvoiceForStart } from "./lock-invoice.ts";
import { nextDay } from "./schedule-due-invoices.ts";

const PAGE = 1000;

/** Locks and reads the settings on which `findDueInvoices` depends; every change of them takes the same lock. */
export const lockForDueInvoices = async (tx: Tx): Promise<{ readonly settings: unknown }> => ({
  settings: await lockSettings(tx),
});

/**
 * `card_charge.due_invoices`, at 00:00 South African time each day: enqueues a charge of each due invoice that was not
 * charged in this way before, and whose customer has a default card. `stored` is the result of `lockForDueInvoices`.
 */
export async function findDueInvoices(
  tx: Tx,
  ctx: Ctx,
  stored: { readonly settings: unknown },
): Promise<Instant | null> {
  if (!settingsOf(stored.settings).chargeDefaultCardWhenDue) return null;
  for (let after = ""; ; ) {
    const found = await listDueInvoicesWithCard(tx, {
      currency: DEFAULT_CURRENCY,
      today: calendarDay(ctx.now),
      after,
      limit: PAGE,
    });
    for (const id of found) enqueue(tx, CHARGE_DUE_INVOICE, id, ctx.now);
    if (found.length < PAGE) return nextDay(ctx);
    after = found.at(-1) ?? after;
  }
}

/** An invoice that is not charged today; it is considered again tomorrow. */
interface LeftAlone {
  readonly why: string;
}

/**
 * `card_charge.invoice`: charges the customer's default card for the balance of an invoice on or after its due date,
 * once for each invoice (interface 4.11). An invoice is not charged while a payment of it is under way, while the
 * default card cannot be charged, or while the plan's monthly limit of payments is reached.
 */
export async function chargeDueInvoice(services: Services, ctx: Ctx, invoiceId: string): Promise<null> {
  const outcome = await chargeStoredCard(services, ctx, (tx) => record(tx, ctx, invoiceId));
  if ("why" in outcome) services.log.debug({ invoice: invoiceId, why: outcome.why }, "a due invoice is not charged");
  return null;
}

async function record(tx: Tx, ctx: Ctx, invoiceId: string): Promise<AskedCharge | LeftAlone> {
  const [settings, found] = await Promise.all([currentSettings(tx), findInvoice(tx, invoiceId)]);
  if (!found || !settings.chargeDefaultCardWhenDue || isReadOnlyNow(ctx)) return { why: "charging is off" };
  const customer = await findCustomer(tx, found.customer.id);
  const card = customer && (await lockCards(tx, customer.id)).find(({ isDefault }) => isDefault);
  if (!card || !customer.active) return { why: "no default card" };
  const gateway = chargingGateway(ctx, card, await listGatewayAccounts(tx));
  if (typeof gateway === "string") return { why: gateway };
  const { invoice, limitReached } = await lockInvoiceForStart(tx, ctx, invoiceId);
  if (!invoice || !isCollectable(invoice, ctx)) return { why: "nothing to collect" };
  if (limitReached) return { why: "the plan allows no more payments this month" };
  const [charged, underWay] = await Promise.all([isChargedWhenDue(tx, invoice.id), hasPaymentUnderWay(tx, invoice.id)]);
  if (charged || underWay) return { why: charged ? "charged before" : "a payment is under way" };
  const recorded = await recordCharge(tx, ctx, {
    card,
    gateway,
    customer,
    amount: amountDue(invoice),
    currency: invoice.currency,
    description: `Invoice ${invoice.number}`,
    externalReference: invoice.externalReference,
    metadata: {},
    paymentLinkId: null,
    invoiceId: invoice.id,
    by: { kind: "due" },
  });
  assert(recorded, "the invoice is locked, and was not charged before");
  return recorded;
}

const isCollectable = (invoice: Invoice, { now }: Pick<Ctx, "now">): boolean =>
  isOpen(invoice) &&
  invoice.dueDate !== null &&
  invoice.dueDate <= calendarDay(now) &&
  invoice.currency === DEFAULT_CURRENCY &&
  amountDue(invoice) > ZERO &&
  amountDue(invoice) <= CHARGE_MAX;
