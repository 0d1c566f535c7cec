import type { Resource } from "../../components/resource.ts";

/** Accounts at payment gateways (interface 14.2). */
export const gateways: Resource = {
  name: "gateways",
  label: "Gateways",
  group: "Settings",
  permission: "gateways:read",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/new", load: () => import("./new.tsx"), permission: "gateways:write" },
    { path: "/$id", load: () => import("./page.tsx") },
    { path: "/$id/edit", load: () => import("./edit.tsx"), permission: "gateways:write" },
  ],
};
