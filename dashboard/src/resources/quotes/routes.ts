import type { Resource } from "../../components/resource.ts";

/** Prices that customers accept or decline (interface 4.6). */
export const quotes: Resource = {
  name: "quotes",
  label: "Quotes",
  group: "Quotes",
  permission: "quotes:read",
  feature: "invoicing",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/new", load: () => import("./form.tsx"), permission: "quotes:write" },
    { path: "/$id", load: () => import("./page.tsx") },
    { path: "/$id/edit", load: () => import("./form.tsx"), permission: "quotes:write" },
  ],
};
