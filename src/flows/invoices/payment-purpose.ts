import type { Reversal } from "../../domain/reversal.ts";
import { type Cents, ZERO } from "../../kernel/money.ts";
import { allocate, amountDue } from "../../modules/invoices/rules.ts";
import { isPayable } from "../../modules/invoices/states.ts";
import { lockInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import type { PaymentSplit, Purpose } from "../payments/purpose.ts";
import { applyOpenCredits } from "./apply-credit.ts";
import { applyPayment } from "./apply-payment.ts";
import { lockInvoiceForChange } from "./lock-invoice.ts";
import { reopenInvoice } from "./reopen-invoice.ts";

/**
 * The purpose of a payment of an invoice: it belongs to the balance of the invoice's customer, whoever paid. The part
 * above the invoice's balance is overpaid. Locks as `lockInvoiceForChange`.
 */
export const invoicePurpose: Purpose = {
  locks: "invoice",
  async lock(tx, ctx, { invoiceId, amount }, move) {
    if (!invoiceId || move === "failed" || move === "cancelled") return null;
    const locked = await lockInvoiceForChange(tx, invoiceId);
    if (!locked) return null;
    const { invoice } = locked;
    return {
      customerId: invoice.customer.id,
      async split() {
        const { applied, excess } = allocate(amount, isPayable(invoice.status) ? amountDue(invoice) : ZERO);
        return { applied, overpaid: excess, vat: ZERO };
      },
      takesBack: isPayable(invoice.status) ? amountDue(invoice) : ZERO,
      reinstate: (reversal, applied) => payAgain(tx, ctx, invoice, reversal, applied),
      complete: (payment, split) => payInvoice(tx, ctx, invoice, payment, split),
      // Credit of the payment may have been taken back from this invoice, too (`creditPurpose`).
      reverse: async (_payment, reversal, undone) =>
        reopenInvoice(tx, ctx, (await lockInvoice(tx, invoice.id)) ?? invoice, reversal, undone),
    };
  },
};

/** Applies the money of a reversal that came back. */
async function payAgain(tx: Tx, ctx: Ctx, invoice: Invoice, reversal: Reversal, applied: Cents): Promise<void> {
  if (applied === ZERO) return;
  const allocation = { id: newId("ipm"), source: "reversal", subject: reversal.id, amount: applied } as const;
  await applyPayment(tx, ctx, invoice, { ...allocation, paidAt: ctx.now });
}

async function payInvoice(
  tx: Tx,
  ctx: Ctx,
  invoice: Invoice,
  payment: Transaction,
  { applied }: PaymentSplit,
): Promise<void> {
  if (applied === ZERO) return;
  const paid = await applyPayment(tx, ctx, invoice, {
    id: newId("ipm"),
    source: "transaction",
    subject: payment.id,
    amount: applied,
    paidAt: ctx.now,
  });
  if (!invoice.issuedAt) await applyOpenCredits(tx, ctx, paid);
}
