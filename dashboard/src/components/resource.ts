import type { FunctionComponent } from "react";
import type { Permission } from "../api/session.ts";

type Loader = () => Promise<{ readonly Page: FunctionComponent }>;

/** An entry of the navigation: its resources are the tabs of its pages. */
export type Entry =
  | "Invoices"
  | "Quotes"
  | "Payment links"
  | "Subscriptions"
  | "Debit orders"
  | "Payments"
  | "Reconcile"
  | "Reports"
  | "Customers"
  | "Catalogue"
  | "Developers"
  | "Settings";

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
  /** As tab and title: `Customers`. */
  readonly label: string;
  /** The entry of the navigation that leads to it. */
  readonly group: Entry;
  /** Permission to see it. */
  readonly permission: Permission;
  /** Further permissions to see it, where it shows records of other areas, too. */
  readonly also?: readonly Permission[];
  /** Further feature of the plan that it needs, by its name in `plan.features`. */
  readonly feature?: string;
  /** `/` is the list, `/$id` the page of one record. */
  readonly routes: readonly ResourceRoute[];
  /** Only organisations of this kind have it. */
  readonly only?: "sandbox";
}
