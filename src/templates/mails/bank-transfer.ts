import type { BankDetails } from "../../kernel/bank-details.ts";
import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { momentInWords } from "../wording.ts";
import { type Mail, type MailBrand, quoted, renderMail } from "./layout.ts";

/** A bank transfer that is to be paid (interface 2.11). */
export interface BankTransferFacts {
  readonly brand: MailBrand;
  readonly amount: Cents;
  readonly currency: string;
  readonly title: string;
  /** The reference that the payer must give with the transfer. */
  readonly reference: string;
  /** The order's page, where the proof of payment is uploaded. */
  readonly url: string;
  readonly expiresAt: Instant;
}

/** Mail to the payer: bank account, amount and reference. With `reminder`: the order expires soon and is not paid. */
export function bankTransferMail(
  facts: BankTransferFacts & { readonly kind: "details" | "reminder"; readonly bank: BankDetails },
): Mail {
  const { brand, bank, url } = facts;
  const amount = formatMoney(facts.amount, facts.currency);
  const name = quoted(brand.name);
  const until = momentInWords(facts.expiresAt);
  const reminds = facts.kind === "reminder";
  return renderMail({
    brand,
    subject: `${reminds ? "Reminder: pay" : "How to pay"} ${name} by bank transfer: ${amount}`,
    preview: `Reference ${quoted(facts.reference)}, until ${until}`,
    heading: reminds ? "Still to be paid by bank transfer" : "Pay by bank transfer",
    blocks: [
      { kind: "amount", text: amount },
      {
        kind: "paragraph",
        text:
          `Pay ${name} this amount by ${until}. Write the reference on the transfer exactly as it is here, so ` +
          "that the payment is found.",
      },
      {
        kind: "facts",
        rows: [
          ["Reference", facts.reference],
          ["Amount", amount],
          ["Bank", bank.bankName],
          ["Account name", bank.accountName],
          ["Account number", bank.accountNumber],
          ["Branch code", bank.branchCode],
          ["Account type", bank.accountType],
          ["For", facts.title],
        ],
      },
      { kind: "button", label: "Send proof of payment", url },
      {
        kind: "note",
        text: reminds
          ? "Already paid? Send the proof, and it will be checked. A transfer takes up to two working days to arrive."
          : "Once you have paid, send the proof there: a photo or PDF of your bank's confirmation.",
      },
    ],
  });
}

/** Mail to the payer: staff have rejected the proof of payment; `reason` is the text that staff wrote. */
export function proofRejectedMail(facts: BankTransferFacts & { readonly reason: string | null }): Mail {
  const { brand, url, reason } = facts;
  const amount = formatMoney(facts.amount, facts.currency);
  const name = quoted(brand.name);
  return renderMail({
    brand,
    subject: `${name} did not accept your proof of payment`,
    preview: `Reference ${quoted(facts.reference)}, ${amount}`,
    heading: "Your proof was not accepted",
    blocks: [
      { kind: "paragraph", text: `${name} looked at the proof you sent and did not accept it.` },
      ...(reason === null ? [] : [{ kind: "remark", text: reason } as const]),
      {
        kind: "facts",
        rows: [
          ["For", facts.title],
          ["Amount", amount],
          ["Reference", facts.reference],
        ],
      },
      { kind: "button", label: "Send another proof", url },
      {
        kind: "note",
        text: `Its page has the bank details, too, and takes a proof until ${momentInWords(facts.expiresAt)}.`,
      },
    ],
  });
}
