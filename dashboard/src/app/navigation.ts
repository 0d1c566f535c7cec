import type { Membership } from "../api/session.ts";
import type { IconName } from "../components/icon.tsx";
import type { Entry, Resource } from "../components/resource.ts";
import { pathTo } from "../lib/paths.ts";
import { RESOURCES } from "./resources.ts";

/** The groups of the navigation with their entries, in their order; the last stands at the foot. */
const GROUPS: readonly { readonly label: string; readonly entries: readonly Entry[] }[] = [
  { label: "Get paid", entries: ["Invoices", "Quotes", "Payment links", "Subscriptions", "Debit orders"] },
  { label: "Money", entries: ["Payments", "Reconcile", "Reports"] },
  { label: "Records", entries: ["Customers", "Catalogue"] },
  { label: "Setup", entries: ["Developers", "Settings"] },
];

/** The icon of each entry. */
export const ENTRY_ICONS: Readonly<Record<Entry, IconName>> = {
  Invoices: "document",
  Quotes: "quote",
  "Payment links": "link",
  Subscriptions: "repeat",
  "Debit orders": "bank",
  Payments: "money",
  Reconcile: "match",
  Reports: "report",
  Customers: "people",
  Catalogue: "box",
  Developers: "code",
  Settings: "gear",
};

/** Whether a person sees a resource: by role, plan and kind of organisation. */
export const visible = (resource: Resource, { permissions, plan, sandbox }: Membership): boolean =>
  [resource.permission, ...(resource.also ?? [])].every((permission) => permissions.includes(permission)) &&
  (resource.feature === undefined || plan.features.includes(resource.feature)) &&
  (resource.only === undefined || sandbox);

/** An entry with the resources that a person sees; the first is where it leads. */
interface ShownEntry {
  readonly entry: Entry;
  readonly resources: readonly [Resource, ...Resource[]];
}

/** The groups of the navigation with the entries that a person sees; empty ones are left out. */
export const navigationFor = (
  membership: Membership,
): readonly { readonly label: string; readonly entries: readonly ShownEntry[] }[] =>
  GROUPS.map(({ label, entries }) => ({
    label,
    entries: entries.flatMap((entry) => {
      const [first, ...others] = RESOURCES.filter(
        (resource) => resource.group === entry && visible(resource, membership),
      );
      return first ? { entry, resources: [first, ...others] as const } : [];
    }),
  })).filter(({ entries }) => entries.length > 0);

/** Whether an address is a resource's, or below it. */
const isAt = (path: string, { name }: Resource): boolean =>
  path === pathTo(name) || path.startsWith(`${pathTo(name)}/`);

/** Whether an address belongs to an entry. */
export const isWithin = (path: string, { resources }: ShownEntry): boolean =>
  resources.some((resource) => isAt(path, resource));

/** The resources beside the list at an address, itself included; none where it is not a list, or the only one. */
export function tabsAt(path: string, membership: Membership): readonly Resource[] {
  const entry = navigationFor(membership)
    .flatMap(({ entries }) => entries)
    .find(({ resources }) => resources.some(({ name }) => path === pathTo(name)));
  return entry && entry.resources.length > 1 ? entry.resources : [];
}
