import type { Resource } from "../../components/resource.ts";

/** The design of checkout pages (interface 5.10). */
export const checkoutPages: Resource = {
  name: "checkout-pages",
  label: "Checkout page",
  group: "Settings",
  permission: "checkout_pages:read",
  routes: [{ path: "/", load: () => import("./design.tsx") }],
};
