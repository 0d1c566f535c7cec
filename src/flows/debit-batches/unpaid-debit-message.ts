import type { TransactionId } from "../../kernel/ids.ts";
import { formatMoney } from "../../kernel/money.ts";
import { findIdentifiedCustomers } from "../../modules/customers/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { shortUrlOf } from "../hosted-links.ts";
import { requestMessages } from "../messages/request-message.ts";
import { currentSettings } from "../organisations/settings.ts";
import { payabilityNow } from "../payments/payability.ts";
import type { ReturnedDebit } from "./returned-debits.ts";

/**
 * Requests the messages to the payers of debits that were returned unpaid, by the channel of the settings: one for each
 * debit, since a debit gets its link once. None where it cannot be sent, or the link cannot be paid. Payers of invoices
 * are sent one as of every missed collection.
 */
export async function messageReturnedDebits(
  tx: Tx,
  ctx: Ctx,
  returned: readonly ReturnedDebit[],
  links: ReadonlyMap<TransactionId, PaymentLink>,
): Promise<void> {
  if (links.size === 0) return;
  const channel = (await currentSettings(tx)).messages.failedPayments;
  if (channel === null) return;
  const names = returned.map(({ mandate }) => ({ id: mandate.customerId }));
  const [payability, found] = await Promise.all([
    payabilityNow(tx, ctx, [...links.values()]),
    findIdentifiedCustomers(tx, names),
  ]);
  const customers = new Map(found.map((customer) => [customer.id, customer]));
  const requests = returned.flatMap(({ debit, mandate }) => {
    const link = links.get(debit.transactionId);
    const customer = customers.get(mandate.customerId) ?? null;
    if (!link || payability(link).unavailable !== null) return [];
    const amount = formatMoney(link.amount, link.currency);
    const parts = { what: mandate.description, amount, url: shortUrlOf(ctx, link) };
    return [{ kind: "payment_failed" as const, about: link.id, customer, parts }];
  });
  await requestMessages(tx, ctx, channel, requests);
}
