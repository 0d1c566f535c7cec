import type { Membership } from "../api/session.ts";
import type { IconName } from "../components/icon.tsx";
import { GROUPS, type Group, type Resource } from "../components/resource.ts";
import { RESOURCES } from "./resources.ts";

/** The icon of each group. */
export const GROUP_ICONS: Readonly<Record<Group, IconName>> = {
  Money: "money",
  Customers: "people",
  Subscriptions: "repeat",
  "Debit orders": "bank",
  Accounting: "columns",
  Catalogue: "box",
  Developers: "code",
  Settings: "gear",
};

/** Whether a person sees a resource: by role, plan and kind of organisation. */
export const visible = (resource: Resource, { permissions, plan, sandbox }: Membership): boolean =>
  permissions.includes(resource.permission) &&
  (resource.feature === undefined || plan.features.includes(resource.feature)) &&
  (resource.only === undefined || sandbox);

/** The groups of the navigation with the entries that a person sees; empty groups are left out. */
export const navigationFor = (membership: Membership): readonly { group: Group; resources: readonly Resource[] }[] =>
  GROUPS.map((group) => ({
    group,
    resources: RESOURCES.filter((resource) => resource.group === group && visible(resource, membership)),
  })).filter(({ resources }) => resources.length > 0);
