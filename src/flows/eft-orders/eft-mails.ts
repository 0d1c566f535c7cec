import { findCustomer } from "../../modules/customers/store.ts";
import { EFT_PAGE } from "../../modules/eft-orders/declarations.ts";
import { findEftOrder } from "../../modules/eft-orders/store.ts";
import type { EftOrder } from "../../modules/eft-orders/types.ts";
import type { MailFacts } from "../../modules/emails/types.ts";
import type { Tx } from "../../platform/database.ts";
import { type BankTransferFacts, bankTransferMail, proofRejectedMail } from "../../templates/mails/bank-transfer.ts";
import type { Ctx } from "../context.ts";
import { hostedUrl } from "../hosted-links.ts";
import { type Composed, declareMail, type MailKind, type MailRequest, requestMail } from "../mail/mail.ts";
import { fromMerchant } from "../mail/senders.ts";
import { bankDetailsOfOrder } from "./eft-order-object.ts";

type Nothing = Record<string, never>;

/** To the payer: bank details, amount and reference. */
export const EFT_DETAILS_MAIL = declareMail<Nothing>("eft_details", (tx, ctx, { about }) =>
  composeBankDetails(tx, ctx, about, "details"),
);

/** To the payer: the same as `EFT_DETAILS_MAIL`, shortly before the order expires. */
export const EFT_REMINDER_MAIL = declareMail<Nothing>("eft_reminder", (tx, ctx, { about }) =>
  composeBankDetails(tx, ctx, about, "reminder"),
);

/**
 * To the payer: the proof was rejected. The request stores the reason, since another proof may have been reviewed
 * before the mail is written.
 */
export const EFT_REJECTED_MAIL = declareMail<{ readonly reason: string | null }>(
  "eft_rejected",
  async (tx, ctx, request) => {
    const order = await findEftOrder(tx, request.about);
    if (!order) return null;
    return fromMerchant(tx, ctx, (brand) =>
      proofRejectedMail({ ...factsOf(ctx, order), brand, reason: request.facts.reason }),
    );
  },
);

/**
 * Requests the mail with bank details, reference and amount (interface 4.9, `notifyPayer`), once for each order. False
 * when there is no address.
 */
export const mailEftDetails = (tx: Tx, ctx: Ctx, order: EftOrder): Promise<boolean> =>
  requestPayerMail(tx, ctx, EFT_DETAILS_MAIL, order, { once: `eft-details:${order.id}`, facts: {} });

/** Requests the one reminder of an unpaid order (interface 3.10). False when there is no address. */
export const mailEftReminder = (tx: Tx, ctx: Ctx, order: EftOrder): Promise<boolean> =>
  requestPayerMail(tx, ctx, EFT_REMINDER_MAIL, order, { once: `eft-reminder:${order.id}`, facts: {} });

/**
 * Requests the mail that says that the proof was rejected and why, for each rejection. False when there is no address.
 */
export const mailEftRejected = (tx: Tx, ctx: Ctx, order: EftOrder): Promise<boolean> =>
  requestPayerMail(tx, ctx, EFT_REJECTED_MAIL, order, { facts: { reason: order.rejectionReason } });

/** Requests a mail to the payer, else to the customer. */
async function requestPayerMail<Facts extends MailFacts>(
  tx: Tx,
  ctx: Ctx,
  mail: MailKind<Facts>,
  { id, payerEmail, customerId }: EftOrder,
  request: Pick<MailRequest<Facts>, "once" | "facts">,
): Promise<boolean> {
  const customer = payerEmail === null && customerId !== null ? await findCustomer(tx, customerId) : null;
  return requestMail(tx, ctx, mail, { about: id, to: [payerEmail ?? customer?.email ?? null], ...request });
}

async function composeBankDetails(
  tx: Tx,
  ctx: Ctx,
  id: string,
  kind: "details" | "reminder",
): Promise<Composed | null> {
  const order = await findEftOrder(tx, id);
  if (!order) return null;
  const bank = await bankDetailsOfOrder(tx, ctx, order);
  return fromMerchant(tx, ctx, (brand) => bankTransferMail({ ...factsOf(ctx, order), brand, kind, bank }));
}

const factsOf = (ctx: Ctx, order: EftOrder): Omit<BankTransferFacts, "brand"> => ({
  amount: order.amount,
  currency: order.currency,
  title: order.description ?? order.reference,
  reference: order.reference,
  url: hostedUrl(ctx, EFT_PAGE, order.id),
  expiresAt: order.expiresAt,
});
