import type { FunctionComponent } from "react";
import type { Permission } from "../api/session.ts";

type Loader = () => Promise<{ readonly Page: FunctionComponent }>;

/** Groups of the navigation, in their order. */
export const GROUPS = [
  "Money",
  "Customers",
  "Subscriptions",
  "Debit orders",
  "Accounting",
  "Catalogue",
  "Developers",
  "Settings",
] as const;
export type Group = (typeof GROUPS)[number];

/** A page of a resource: its path below the resource's, such as `/new` or `/$id/edit`. */
export interface ResourceRoute {
  readonly path: string;
  readonly load: Loader;
  /** Without this permission the page shows a message instead of its content; default: the resource's own. */
  readonly permission?: Permission;
}

/** The declaration of a resource in its `routes.ts`: the paths of its pages, and their permissions. */
export interface Resource {
  /** Path below `/dashboard`, which is also its name: `customers`. */
  readonly name: string;
  /** In the navigation and as title: `Customers`. */
  readonly label: string;
  readonly group: Group;
  /** Permission to see it. */
  readonly permission: Permission;
  /** Further feature of the plan that it needs, by its name in `plan.features`. */
  readonly feature?: string;
  /** `/` is the list, `/$id` the page of one record. */
  readonly routes: readonly ResourceRoute[];
  /** Only organisations of this kind have it. */
  readonly only?: "sandbox";
}
