import type { Resource } from "../../components/resource.ts";

/** Bank transfers by hand, with proof and review (interface 4.9). */
export const eftOrders: Resource = {
  name: "eft-orders",
  label: "EFT payments",
  group: "Payments",
  permission: "eft_orders:read",
  feature: "payment_links",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/new", load: () => import("./form.tsx"), permission: "eft_orders:write" },
    { path: "/$id", load: () => import("./page.tsx") },
  ],
};
