import type { Membership, Permission } from "../api/session.ts";

interface Command {
  readonly label: string;
  readonly to: string;
  readonly permission: Permission;
  /** Further words, in lower case. */
  readonly also: string;
}

const COMMANDS: readonly Command[] = [
  { label: "New invoice", to: "/invoices/new", permission: "invoices:write", also: "create bill" },
  { label: "New quote", to: "/quotes/new", permission: "quotes:write", also: "create estimate offer" },
  {
    label: "New payment link",
    to: "/payment-links/new",
    permission: "payment_links:write",
    also: "create qr whatsapp",
  },
  { label: "New customer", to: "/customers/new", permission: "customers:write", also: "create client" },
  { label: "New credit note", to: "/credit-notes/new", permission: "credit_notes:write", also: "create refund credit" },
  { label: "New mandate", to: "/mandates/new", permission: "mandates:write", also: "create debit order" },
  {
    label: "Import bank statement",
    to: "/reconciliation/runs/new",
    permission: "reconciliation:write",
    also: "reconcile",
  },
  { label: "Invite team member", to: "/members/new", permission: "members:write", also: "user staff" },
];

/** What the member may begin from the palette. */
export const commandsFor = ({ permissions }: Membership): readonly Command[] =>
  COMMANDS.filter(({ permission }) => permissions.includes(permission));
