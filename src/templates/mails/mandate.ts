import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { momentInWords } from "../wording.ts";
import { type Block, type Mail, type MailBrand, quoted, renderMail, tefo } from "./layout.ts";

/** The facts about a mandate's agreement in mails. */
export interface AgreementMailFacts {
  readonly brand: MailBrand;
  readonly customerName: string | null;
  readonly description: string;
  readonly amount: Cents;
  readonly currency: string;
  readonly accountReference: string;
  /** Only the last digits. */
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

/** Mail to the customer: the debit order agreement to sign online. `waits`: nothing is collected before it is signed. */
export function agreementMail(
  facts: AgreementMailFacts & { readonly expiresAt: Instant; readonly waits: boolean },
): Mail {
  const { brand, customerName, amount, currency, url, expiresAt, waits } = facts;
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
      { kind: "note", text: `The link works until ${momentInWords(expiresAt)}. Do not forward this email.` },
      {
        kind: "note",
        text: waits
          ? "Nothing is collected before you have signed. If you did not expect this, ignore this email."
          : "If you did not expect this, tell us immediately by replying to this email.",
      },
    ],
  });
}

/** Mail to the customer: the agreement was signed, with the page where its copy is. */
export function agreementSignedMail(facts: AgreementMailFacts & { readonly signedAt: Instant }): Mail {
  const { brand, customerName, amount, currency, url, signedAt } = facts;
  const name = quoted(brand.name);
  return renderMail({
    brand,
    subject: `Your debit order agreement with ${name} is signed`,
    preview: `Signed on ${momentInWords(signedAt)}.`,
    heading: customerName === null ? "Your agreement is signed" : `Thank you, ${quoted(customerName)}`,
    blocks: [
      { kind: "paragraph", text: `Your debit order agreement with ${name} was signed on ${momentInWords(signedAt)}.` },
      { kind: "amount", text: formatMoney(amount, currency) },
      factsOf(facts),
      { kind: "button", label: "Download the signed agreement", url },
      { kind: "note", text: "If you did not sign it, tell us immediately by replying to this email." },
    ],
  });
}

/** Mail to staff: a customer signed an agreement. */
export function agreementSignedStaffMail(facts: {
  readonly organisationName: string;
  readonly sandbox: boolean;
  readonly customerName: string | null;
  readonly accountReference: string;
  readonly signerName: string;
  readonly signedAt: Instant;
  /** Whether somebody has to approve the mandate now. */
  readonly awaitsApproval: boolean;
  readonly url: string;
}): Mail {
  const next = facts.awaitsApproval ? " The mandate waits for your approval." : "";
  return renderMail({
    brand: tefo(facts.sandbox),
    subject: `${quoted(facts.organisationName)}: a debit order agreement was signed`,
    preview: `${quoted(facts.signerName)} signed.${next}`,
    heading: "Agreement signed",
    blocks: [
      { kind: "paragraph", text: `A customer signed a debit order agreement.${next}` },
      {
        kind: "facts",
        rows: [
          facts.customerName === null ? null : ["Customer", facts.customerName],
          ["Signed by", facts.signerName],
          ["Date", momentInWords(facts.signedAt)],
          ["Reference", facts.accountReference],
        ],
      },
      { kind: "button", label: "View", url: facts.url },
      { kind: "note", text: "The signed agreement is there as a PDF, with the evidence of the signature." },
    ],
  });
}
