import type { Resource } from "../../components/resource.ts";

/** Packages with their plans, to which customers subscribe (interface 4.15). */
export const packages: Resource = {
  name: "packages",
  label: "Packages and plans",
  group: "Catalogue",
  permission: "packages:read",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/new", load: () => import("./form.tsx"), permission: "packages:write" },
    { path: "/$id", load: () => import("./page.tsx") },
    { path: "/$id/edit", load: () => import("./form.tsx"), permission: "packages:write" },
    { path: "/$id/plans/new", load: () => import("./plan-form.tsx"), permission: "packages:write" },
    { path: "/$id/plans/$plan", load: () => import("./plan-form.tsx"), permission: "packages:write" },
  ],
};
