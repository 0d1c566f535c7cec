import type { Resource } from "../../components/resource.ts";

/** Subscriptions that a gateway charges, and those moved here from another service (interface 4.7). */
export const gatewaySubscriptions: Resource = {
  name: "subscriptions",
  label: "Billed by gateways",
  group: "Subscriptions",
  permission: "subscriptions:read",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/migrations", load: () => import("./migrations.tsx") },
    { path: "/migrations/new", load: () => import("./migration-form.tsx"), permission: "subscriptions:write" },
    { path: "/$id", load: () => import("./page.tsx") },
  ],
};
