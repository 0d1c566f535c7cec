import type { Resource } from "../../components/resource.ts";

/** Codes that lower charges. */
export const coupons: Resource = {
  name: "coupons",
  label: "Coupons",
  group: "Catalogue",
  permission: "coupons:read",
  feature: "coupons",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/new", load: () => import("./form.tsx"), permission: "coupons:write" },
    { path: "/$id", load: () => import("./page.tsx") },
    { path: "/$id/edit", load: () => import("./form.tsx"), permission: "coupons:write" },
  ],
};
