import type { Resource } from "../../components/resource.ts";

/** Pages where anybody with the address pays (interface 4.1). */
export const paymentLinks: Resource = {
  name: "payment-links",
  label: "Payment links",
  group: "Money",
  permission: "payment_links:read",
  feature: "payment_links",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/new", load: () => import("./form.tsx"), permission: "payment_links:write" },
    { path: "/$id", load: () => import("./page.tsx") },
  ],
};
