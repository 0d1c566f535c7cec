import type { Resource } from "../../components/resource.ts";

/** The members of the organisation (interface 14.1). */
export const members: Resource = {
  name: "members",
  label: "Team",
  group: "Settings",
  permission: "members:read",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/new", load: () => import("./form.tsx"), permission: "members:write" },
  ],
};
