import type { Resource } from "../../components/resource.ts";

/** Charges of customers for each period (interface 4.8). */
export const customerSubscriptions: Resource = {
  name: "customer-subscriptions",
  label: "Subscriptions",
  group: "Subscriptions",
  permission: "subscriptions:read",
  feature: "invoicing",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/new", load: () => import("./form.tsx"), permission: "subscriptions:write" },
    { path: "/import", load: () => import("./import.tsx"), permission: "subscriptions:write" },
    { path: "/$id", load: () => import("./page.tsx") },
    { path: "/$id/change", load: () => import("./change.tsx"), permission: "subscriptions:write" },
  ],
};
