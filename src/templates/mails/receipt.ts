import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { momentInWords } from "../wording.ts";
import { type Mail, type MailBrand, quoted, renderMail } from "./layout.ts";

export interface ReceiptFacts {
  readonly brand: MailBrand;
  readonly amount: Cents;
  readonly currency: string;
  /** The transaction's description. */
  readonly title: string;
  readonly reference: string;
  readonly paidAt: Instant;
  /** `PayFast`, `Visa ending in 4242`; null leaves the line out. */
  readonly method: string | null;
  /** The invoice that was paid, with its open amount. */
  readonly invoice: { readonly number: string; readonly balance: Cents } | null;
  /** URL of the payment's result page; null leaves the button out. */
  readonly url: string | null;
}

/** Mail to the payer when a payment is complete. */
export function receiptMail(facts: ReceiptFacts): Mail {
  const { brand, currency, invoice, url } = facts;
  const amount = formatMoney(facts.amount, currency);
  return renderMail({
    brand,
    subject: `Receipt from ${quoted(brand.name)}: ${amount}`,
    preview: `${quoted(facts.title)}, ${momentInWords(facts.paidAt)}`,
    heading: "Thank you for your payment",
    blocks: [
      { kind: "amount", text: amount },
      { kind: "paragraph", text: `${quoted(brand.name)} has received your payment.` },
      {
        kind: "facts",
        rows: [
          ["For", facts.title],
          ["Paid", momentInWords(facts.paidAt)],
          facts.method === null ? null : ["Payment method", facts.method],
          ["Reference", facts.reference],
          invoice && ["Invoice", invoice.number],
          invoice && invoice.balance > 0 ? ["Balance due", formatMoney(invoice.balance, currency)] : null,
        ],
      },
      ...(url === null ? [] : [{ kind: "button", label: "View payment", url } as const]),
      { kind: "note", text: "This is a receipt, not a tax invoice. Quote the reference if you write to us about it." },
    ],
  });
}
