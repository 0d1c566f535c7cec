import type { Resource } from "../../components/resource.ts";

/** Authorities to debit customers (interface 4.10). */
export const mandates: Resource = {
  name: "mandates",
  label: "Mandates",
  group: "Debit orders",
  permission: "mandates:read",
  feature: "debit_orders",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/new", load: () => import("./form.tsx"), permission: "mandates:write" },
    { path: "/$id", load: () => import("./page.tsx") },
  ],
};
