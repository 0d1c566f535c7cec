import type { PayPageFacts } from "../../../flows/payment-links/read-pay-page.ts";
import { isBelowUnit } from "../../../kernel/amount-in.ts";
import { type Cents, roundToCents, toDecimalText } from "../../../kernel/money.ts";
import type { PricedDocument } from "../../../templates/document.ts";
import type { PayPageModel } from "../../../templates/pages/pay.ts";
import type { Sent } from "../form-page.ts";

/**
 * The part of the invoice that the payer chooses to pay, from the text of the form; null for the whole amount, and for
 * the first charge of a subscription.
 */
export function partOf({ link, amount }: PayPageFacts, written: string): Cents | null | "wrong" {
  const text = written.replaceAll(/[R\s\u00a0]/gi, "").replace(",", ".");
  if (!link.collectsBalance || link.keepsCard || text === "") return null;
  if (!/^\d{1,9}(\.\d{1,2})?$/.test(text)) return "wrong";
  const part = roundToCents(text);
  return part > 0 && part <= amount && (part === amount || !isBelowUnit(link.currency, part)) ? part : "wrong";
}

/** The field for a part of an invoice: what the payer sent, else what is left of its deposit where more than that is due. */
export function partField(document: PricedDocument | undefined, sent: Sent | null): NonNullable<PayPageModel["part"]> {
  const asked = document?.deposit && document.deposit < document.due ? toDecimalText(document.deposit) : "";
  return {
    value: sent?.form ? sent.form.field("amount") : asked,
    error: sent?.errors?.["amount"] ?? null,
    deposit: asked !== "",
  };
}
