import type { Shape } from "../../api/client.ts";

export type Role = Shape<"Member">["role"];

/** The permissions of each role, in words. */
export const ROLES: Readonly<Record<Role, string>> = {
  owner: "Everything, also deleting the organisation and changing owners",
  admin: "Everything but that",
  finance: "Money and its records: refunds, invoices, bank transfers, debit orders, exports",
  support: "Customers, payment links, invoices, quotes, sending again; no payments",
  viewer: "View only",
};

/** The roles to choose from. */
export const CHOICES = (Object.keys(ROLES) as Role[]).map((value) => ({
  value,
  label: value.charAt(0).toUpperCase() + value.slice(1),
}));
