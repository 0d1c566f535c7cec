import type { Resource } from "../../components/resource.ts";

/** What members may see and change (interface 14.1). */
export const roles: Resource = {
  name: "roles",
  label: "Roles",
  group: "Settings",
  permission: "members:read",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/new", load: () => import("./form.tsx"), permission: "members:write" },
    { path: "/$id", load: () => import("./page.tsx") },
    { path: "/$id/edit", load: () => import("./form.tsx"), permission: "members:write" },
  ],
};
