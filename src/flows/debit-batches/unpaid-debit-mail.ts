import { PAY_PAGE } from "../../modules/payment-links/declarations.ts";
import { findPaymentLink } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import type { Tx } from "../../platform/database.ts";
import { unpaidDebitMail } from "../../templates/mails/unpaid-debit.ts";
import type { Ctx } from "../context.ts";
import { hostedUrl } from "../hosted-links.ts";
import { declareMail, requestMail } from "../mail/mail.ts";
import { fromMerchant } from "../mail/senders.ts";
import { payabilityOf } from "../payments/payability.ts";
import type { ReturnedDebit } from "./returned-debits.ts";

/** The facts of the mail when the debit was returned. */
type Facts = {
  readonly description: string;
  readonly actionDate: ReturnedDebit["debit"]["actionDate"];
  readonly reason: string;
  readonly link: PaymentLink["id"];
};

/** To the payer: a debit was returned unpaid, and how to pay it. The subject is the mandate's id. */
export const UNPAID_DEBIT_MAIL = declareMail<Facts>("debit_unpaid", async (tx, ctx, { facts }) => {
  const link = await findPaymentLink(tx, facts.link);
  if (!link) return null;
  const { unavailable } = await payabilityOf(tx, ctx, link);
  const url = unavailable === null ? hostedUrl(ctx, PAY_PAGE, link.id) : null;
  const { description, actionDate, reason } = facts;
  return fromMerchant(tx, ctx, (brand) =>
    unpaidDebitMail({ brand, description, actionDate, reason, amount: link.amount, currency: link.currency, url }),
  );
});

/** Requests the mail to the payer, once for each debit. Payers of invoices are mailed as of every missed collection. */
export const mailReturnedDebit = (
  tx: Tx,
  ctx: Ctx,
  { debit, mandate, reason }: ReturnedDebit,
  { to, link }: { readonly to: string | null; readonly link: PaymentLink },
): boolean =>
  requestMail(tx, ctx, UNPAID_DEBIT_MAIL, {
    about: mandate.id,
    to: [to],
    once: `debit_unpaid:${debit.transactionId}`,
    facts: { description: mandate.description, actionDate: debit.actionDate, reason, link: link.id },
  });
