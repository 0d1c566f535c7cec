import { type Mail, type MailBrand, quoted, renderMail } from "./layout.ts";

export interface WelcomeFacts {
  readonly brand: MailBrand;
  readonly customerName: string | null;
  readonly accountCode: string;
  /** The customer's own page, which mails a link to sign in. */
  readonly portalUrl: string;
}

/** Mail to a new customer after a checkout: where they see their purchases and payments (interface 4.12). */
export function welcomeMail({ brand, customerName, accountCode, portalUrl }: WelcomeFacts): Mail {
  const name = quoted(brand.name);
  return renderMail({
    brand,
    subject: `Welcome to ${name}`,
    preview: "Your account, and where you find it.",
    heading: customerName === null ? "Welcome" : `Welcome, ${quoted(customerName)}`,
    blocks: [
      {
        kind: "paragraph",
        text: `You now have an account with ${name}. On your own page you see what you have bought and paid, and what is open.`,
      },
      { kind: "facts", rows: [["Account", accountCode]] },
      { kind: "button", label: "Open my account", url: portalUrl },
      {
        kind: "note",
        text: "The page asks for your email address and mails you a link to sign in: there is no password.",
      },
    ],
  });
}
