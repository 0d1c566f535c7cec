import type { Resource } from "../../components/resource.ts";

/** Products that are sold by themselves, once or each period (interface 14.2). */
export const products: Resource = {
  name: "products",
  label: "Products",
  group: "Catalogue",
  permission: "products:read",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/new", load: () => import("./form.tsx"), permission: "products:write" },
    { path: "/$id", load: () => import("./page.tsx") },
    { path: "/$id/edit", load: () => import("./form.tsx"), permission: "products:write" },
  ],
};
