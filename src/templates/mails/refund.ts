import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { momentInWords } from "../wording.ts";
import { type Mail, type MailBrand, quoted, renderMail } from "./layout.ts";

export interface RefundFacts {
  readonly brand: MailBrand;
  /** Amount of this refund. */
  readonly amount: Cents;
  readonly currency: string;
  /** The payment that is refunded. */
  readonly payment: { readonly title: string; readonly reference: string; readonly amount: Cents };
  /** Sum of all refunds of the payment, this one included. */
  readonly refundedInAll: Cents;
  readonly refundNumber: string;
  readonly refundedAt: Instant;
  readonly reason: string | null;
  /** `gateway`: refunded the way it was paid; `manual`: the merchant pays it by other means. */
  readonly method: "gateway" | "manual";
}

/** Mail to the payer when a refund is recorded. */
export function refundMail(facts: RefundFacts): Mail {
  const { brand, currency, payment } = facts;
  const amount = formatMoney(facts.amount, currency);
  const way =
    facts.method === "gateway"
      ? "It goes back the way you paid and can take a few working days to show."
      : `${quoted(brand.name)} pays it back to you directly.`;
  return renderMail({
    brand,
    subject: `Refund from ${quoted(brand.name)}: ${amount}`,
    preview: `For ${quoted(payment.title)}`,
    heading: "Your refund",
    blocks: [
      { kind: "amount", text: amount },
      { kind: "paragraph", text: way },
      {
        kind: "facts",
        rows: [
          ["For", payment.title],
          ["Payment", formatMoney(payment.amount, currency)],
          facts.refundedInAll === facts.amount ? null : ["Total refunded", formatMoney(facts.refundedInAll, currency)],
          ["Refunded", momentInWords(facts.refundedAt)],
          facts.reason === null ? null : ["Reason", facts.reason],
          ["Refund", facts.refundNumber],
          ["Reference", payment.reference],
        ],
      },
    ],
  });
}
