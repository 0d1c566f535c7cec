import type { Reversal } from "../../domain/reversal.ts";
import { decimalOf, toDecimal } from "../../kernel/decimal.ts";
import { formatMoney, toDecimalText } from "../../kernel/money.ts";
import { lockCustomerBalance } from "../../modules/books/store.ts";
import type { CardSetup } from "../../modules/card-setups/types.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { setDebitInvoice } from "../../modules/reversals/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { createInvoice } from "../invoices/create-invoice.ts";
import { exchangeKnown } from "../invoices/exchange.ts";

/** Takes the locks of `debitReversedSetup`, before the payment is locked. */
export function lockForDebit(tx: Tx, { customerId }: CardSetup, currency: string): void {
  lockNumbers(tx, "invoice");
  lockCustomerBalance(tx, customerId, currency);
}

/**
 * Invoices the money of a set-up that the bank returned to a customer, whom a credit note had credited with it: an
 * invoice without VAT (decisions.md#set-up-is-not-refunded). When the credit note is still open, it pays the invoice at
 * once.
 */
export async function debitReversedSetup(
  tx: Tx,
  ctx: Ctx,
  { customerId }: CardSetup,
  { reference, currency }: Transaction,
  { id, amount }: Pick<Reversal, "id" | "amount">,
): Promise<void> {
  const description =
    `Card set-up, payment ${reference}: ${formatMoney(amount, currency)} went back to the ` +
    "payer's bank, and a credit note had given it back before";
  const { invoice } = await createInvoice(
    tx,
    ctx,
    {
      customerId,
      customer: null,
      lines: [
        {
          description,
          quantity: toDecimal(1),
          unitPrice: decimalOf(toDecimalText(amount)),
          taxRate: 0,
          taxExempt: null,
          discount: null,
          details: null,
          periodStart: null,
          periodEnd: null,
        },
      ],
      discount: null,
      externalReference: null,
      currency,
      exchange: null,
      issueDate: null,
      dueDate: null,
      notes: null,
      metadata: null,
      send: true,
    },
    (_, settings, dated) => exchangeKnown(settings, dated),
  );
  setDebitInvoice(tx, { id }, invoice.id);
}
