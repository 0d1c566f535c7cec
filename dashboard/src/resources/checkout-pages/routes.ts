import type { Resource } from "../../components/resource.ts";

/** How checkout pages look. */
export const checkoutPages: Resource = {
  name: "checkout-pages",
  label: "Checkout page",
  group: "Settings",
  permission: "checkout_pages:read",
  routes: [{ path: "/", load: () => import("./design.tsx") }],
};
