import type { Resource } from "../../components/resource.ts";

/** Invoices, which customers owe (interface 4.5). */
export const invoices: Resource = {
  name: "invoices",
  label: "Invoices",
  group: "Invoices",
  permission: "invoices:read",
  feature: "invoicing",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/new", load: () => import("./form.tsx"), permission: "invoices:write" },
    { path: "/$id", load: () => import("./page.tsx") },
    { path: "/$id/edit", load: () => import("./form.tsx"), permission: "invoices:write" },
  ],
};
