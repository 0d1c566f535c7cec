import type { Resource } from "../../components/resource.ts";

/** Movements of the monthly recurring revenue (interface 14.4). */
export const subscriptionMovements: Resource = {
  name: "subscription-movements",
  label: "MRR changes",
  group: "Subscriptions",
  permission: "subscriptions:read",
  routes: [{ path: "/", load: () => import("./list.tsx") }],
};
