import type { Shape } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { useMay } from "../../api/session.ts";
import { areasOf } from "../../components/areas.ts";

type Role = Shape<"Role">;

/** The built-in roles in words. */
const BUILT_IN: Readonly<Record<string, string>> = {
  owner: "Everything, also deleting the organisation and changing owners",
  admin: "Everything but that",
  finance: "Money and its records: refunds, invoices, bank transfers, debit orders, exports",
  support: "Customers, payment links, invoices, quotes, sending again; no payments",
  viewer: "View only",
};

/** A role to choose. */
export interface RoleChoice {
  readonly value: string;
  readonly label: string;
  readonly about: string;
}

function aboutOf({ id, permissions }: Role): string {
  const { see, change } = areasOf(permissions);
  const parts = [change.length > 0 && `changes ${change.join(", ")}`, see.length > 0 && `sees ${see.join(", ")}`];
  const text = parts.filter(Boolean).join("; ");
  return BUILT_IN[id] ?? text.charAt(0).toUpperCase() + text.slice(1);
}

/** The roles that one may give: built-in ones, and those of the organisation; nobody gives what they may not do themselves. */
export function useRoleChoices(): readonly RoleChoice[] {
  const may = useMay();
  const roles = useList("/roles", {}).data?.data ?? [];
  return roles
    .filter(({ permissions }) => permissions.every(may))
    .map((role) => ({ value: role.id, label: role.name, about: aboutOf(role) }));
}
