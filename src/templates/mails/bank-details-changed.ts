import type { Instant } from "../../kernel/time.ts";
import { momentInWords } from "../wording.ts";
import { type Mail, quoted, renderMail, tefo } from "./layout.ts";

interface Shown {
  readonly bankName: string;
  readonly accountName: string;
  /** Masked except for its last characters. */
  readonly accountNumber: string;
}

export interface BankDetailsChangedFacts {
  readonly organisationName: string;
  readonly sandbox: boolean;
  readonly kind: "added" | "changed" | "removed";
  readonly gatewayName: string;
  /** The bank details that differ, by their names in the gateway account's credentials. */
  readonly fields: readonly string[];
  readonly before: Shown | null;
  readonly after: Shown | null;
  /** Name and address of the person who changed them. */
  readonly by: string;
  readonly ip: string | null;
  readonly changedAt: Instant;
  /** The end of the hold on payouts of credit; null when there is none. */
  readonly heldUntil: Instant | null;
  /** URL of the gateway account in the dashboard. */
  readonly url: string;
}

const FIELDS: Readonly<Record<string, string>> = {
  bankName: "bank",
  accountName: "account name",
  accountNumber: "account number",
  branchCode: "branch code",
  accountType: "account type",
};

/** Mail to the owners: bank details that payers see were added, changed or removed. */
export function bankDetailsChangedMail(facts: BankDetailsChangedFacts): Mail {
  const { kind, before, after, by, ip, changedAt, heldUntil, fields } = facts;
  const organisation = quoted(facts.organisationName);
  const what = `Bank details of ${organisation} were ${kind}`;
  return renderMail({
    brand: tefo(facts.sandbox),
    subject: what,
    preview: `By ${quoted(by)}, ${momentInWords(changedAt)}.`,
    heading: `Bank details were ${kind}`,
    blocks: [
      { kind: "paragraph", text: `${what} by ${quoted(by)}. ${EFFECTS[kind]}` },
      {
        kind: "facts",
        rows: [
          ["Gateway account", facts.gatewayName],
          ["Before", before ? inWords(before) : "none"],
          ["Now", after ? inWords(after) : "none"],
          kind === "changed" ? ["Changed", fields.map((field) => FIELDS[field] ?? field).join(", ")] : null,
          ["By", by],
          ip === null ? null : ["IP address", ip],
          ["Date", `${momentInWords(changedAt)}, South African time`],
        ],
      },
      { kind: "button", label: "View account", url: facts.url },
      {
        kind: "paragraph",
        text:
          "If nobody in your team made this change: correct the details, change that person's password or remove " +
          "them from the team, and check the audit log for what else they did. " +
          "Then tell the customers who were shown wrong details.",
      },
      ...(heldUntil === null
        ? []
        : [
            {
              kind: "note" as const,
              text:
                `No credit is refunded to customers until ${momentInWords(heldUntil)}. ` +
                "If you know of this change, there is nothing to do.",
            },
          ]),
    ],
  });
}

const EFFECTS = {
  added: "Customers see this account while it is enabled.",
  changed: "Customers see the new details while the account is enabled.",
  removed: "Customers no longer see this account.",
} as const;

const inWords = ({ bankName, accountName, accountNumber }: Shown): string =>
  `${bankName} ${accountNumber}, ${accountName}`;
