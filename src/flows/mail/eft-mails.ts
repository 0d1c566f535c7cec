import type { BankDetails } from "../../kernel/bank-details.ts";
import { newId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Tx } from "../../platform/database.ts";
import { type BankTransferFacts, bankTransferMail, proofRejectedMail } from "../../templates/mails/bank-transfer.ts";
import type { Ctx } from "../context.ts";
import { mailFromMerchant } from "./merchant-mail.ts";
import { alertStaff } from "./staff-alerts.ts";

/** An EFT order as mails show it (spec 2.11). */
export interface MailedOrder {
  readonly id: string;
  readonly reference: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly description: string | null;
  readonly customerId: string | null;
  /** Whom the payer's mails go to; else to the customer. */
  readonly payerEmail: string | null;
  readonly expiresAt: Instant;
  readonly rejectionReason: string | null;
}

/** Mails bank details, reference and amount to the payer (spec 4.9, `notifyPayer`); once an order. False when there is no address. */
export const mailEftDetails = (
  tx: Tx,
  ctx: Ctx,
  order: MailedOrder,
  bank: BankDetails,
  payUrl: string,
): Promise<boolean> =>
  mailPayer(tx, ctx, order, {
    kind: "eft_details",
    dedupeKey: `eft-details:${order.id}`,
    write: (brand) => bankTransferMail({ ...factsOf(order, payUrl), brand, kind: "details", bank }),
  });

/** The one reminder of an unpaid order (spec 3.10). False when there is no address. */
export const mailEftReminder = (
  tx: Tx,
  ctx: Ctx,
  order: MailedOrder,
  bank: BankDetails,
  payUrl: string,
): Promise<boolean> =>
  mailPayer(tx, ctx, order, {
    kind: "eft_reminder",
    dedupeKey: `eft-reminder:${order.id}`,
    write: (brand) => bankTransferMail({ ...factsOf(order, payUrl), brand, kind: "reminder", bank }),
  });

/** Tells the payer that their proof was not accepted, and why; each time. False when there is no address. */
export const mailEftRejected = (tx: Tx, ctx: Ctx, order: MailedOrder, payUrl: string): Promise<boolean> =>
  mailPayer(tx, ctx, order, {
    kind: "eft_rejected",
    dedupeKey: `eft-rejected:${order.id}:${newId("mail")}`,
    write: (brand) => proofRejectedMail({ ...factsOf(order, payUrl), brand, reason: order.rejectionReason }),
  });

/** Tells staff that a proof waits for their review (contract 9); each time. */
export async function alertProof(tx: Tx, ctx: Ctx, order: MailedOrder): Promise<void> {
  await alertStaff(tx, ctx, `eft-proof:${order.id}:${newId("mail")}`, {
    kind: "proof_received",
    organisationName: ctx.organisation.name,
    sandbox: ctx.organisation.sandbox,
    reference: order.reference,
    at: ctx.now,
    url: `${ctx.baseUrl}/dashboard/eft-orders/${order.id}`,
    title: order.description ?? order.reference,
    amount: order.amount,
    currency: order.currency,
    payerEmail: order.payerEmail,
  });
}

const factsOf = (order: MailedOrder, url: string): Omit<BankTransferFacts, "brand"> => ({
  amount: order.amount,
  currency: order.currency,
  title: order.description ?? order.reference,
  reference: order.reference,
  url,
  expiresAt: order.expiresAt,
});

async function mailPayer(
  tx: Tx,
  ctx: Ctx,
  { payerEmail, customerId }: MailedOrder,
  mail: Omit<Parameters<typeof mailFromMerchant>[2], "to">,
): Promise<boolean> {
  const customer = payerEmail === null && customerId !== null ? await findCustomer(tx, customerId) : null;
  return mailFromMerchant(tx, ctx, { ...mail, to: payerEmail ?? customer?.email ?? null });
}
