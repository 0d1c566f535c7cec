import type { Resource } from "../../components/resource.ts";

/** Pages on which anybody with the address can pay (interface 4.2). */
export const paymentLinks: Resource = {
  name: "payment-links",
  label: "Payment links",
  group: "Payment links",
  permission: "payment_links:read",
  feature: "payment_links",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/new", load: () => import("./form.tsx"), permission: "payment_links:write" },
    { path: "/$id", load: () => import("./page.tsx") },
  ],
};
