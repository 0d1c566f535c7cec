import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { momentInWords } from "../wording.ts";
import { type Block, type Mail, type MailBrand, quoted, renderMail } from "./layout.ts";

/** What the mails about a mandate's agreement show of it. */
export interface AgreementMailFacts {
  readonly brand: MailBrand;
  readonly customerName: string | null;
  readonly description: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly accountReference: string;
  /** Of the last digits only. */
  readonly account: string;
  /** The sign URL. */
  readonly url: string;
}

const factsOf = ({ description, accountReference, account }: AgreementMailFacts): Block => ({
  kind: "facts",
  rows: [
    ["For", description],
    ["Bank account", account],
    ["Reference", accountReference],
  ],
});

/** Mail to the customer: the debit order agreement to sign online. */
export function agreementMail(facts: AgreementMailFacts & { readonly expiresAt: Instant }): Mail {
  const { brand, customerName, amount, currency, url, expiresAt } = facts;
  const name = quoted(brand.name);
  return renderMail({
    brand,
    subject: `Sign your debit order with ${name}`,
    preview: `${name} asks you to sign a debit order agreement.`,
    heading: customerName === null ? "Your debit order agreement" : `Hello ${quoted(customerName)}`,
    blocks: [
      { kind: "paragraph", text: `${name} asks you to agree to a debit order. Read the agreement and sign it online.` },
      { kind: "amount", text: formatMoney(amount, currency) },
      factsOf(facts),
      { kind: "button", label: "Read and sign", url },
      { kind: "note", text: `The link works until ${momentInWords(expiresAt)}. Do not pass this mail on.` },
      { kind: "note", text: "Nothing is collected before you have signed. Did you not expect this? Then do nothing." },
    ],
  });
}
