import type { Resource } from "../../components/resource.ts";

/** Documents that reduce what was charged (interface 4.14). */
export const creditNotes: Resource = {
  name: "credit-notes",
  label: "Credit notes",
  group: "Invoices",
  permission: "credit_notes:read",
  feature: "invoicing",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/new", load: () => import("./form.tsx"), permission: "credit_notes:write" },
    { path: "/$id", load: () => import("./page.tsx") },
  ],
};
