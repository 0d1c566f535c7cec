import type { Instant } from "../../kernel/time.ts";
import { momentInWords } from "../wording.ts";
import { type Mail, type MailBrand, quoted, renderMail } from "./layout.ts";

export interface PortalLinkFacts {
  readonly brand: MailBrand;
  readonly customerName: string | null;
  readonly url: string;
  readonly expiresAt: Instant;
}

/** Mail to the customer: a link that signs in to the portal once (interface 4.4). */
export function portalLinkMail({ brand, customerName, url, expiresAt }: PortalLinkFacts): Mail {
  const name = quoted(brand.name);
  return renderMail({
    brand,
    subject: `Sign in to your account with ${name}`,
    preview: "The link works once, for a short time.",
    heading: customerName === null ? "Your sign-in link" : `Hello ${quoted(customerName)}`,
    blocks: [
      {
        kind: "paragraph",
        text: `Here is the link to your account with ${name}: what you owe, and what you have paid.`,
      },
      { kind: "button", label: "Open my account", url },
      { kind: "note", text: `It works once, until ${momentInWords(expiresAt)}. Do not forward this email.` },
      { kind: "note", text: "If you did not ask for it, ignore this email: nobody can sign in without the link." },
    ],
  });
}
