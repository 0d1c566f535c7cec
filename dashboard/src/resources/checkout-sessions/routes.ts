import type { Resource } from "../../components/resource.ts";

/** Checkouts that were started, by links and on hosted pages (interface 4.12). */
export const checkoutSessions: Resource = {
  name: "checkout-sessions",
  label: "Checkouts",
  group: "Payment links",
  permission: "checkout_sessions:read",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/new", load: () => import("./form.tsx"), permission: "checkout_sessions:write" },
    { path: "/$id", load: () => import("./page.tsx") },
  ],
};
