import type { Resource } from "../../components/resource.ts";

/** How the organisation wants things done (interface 14.2). */
export const settings: Resource = {
  name: "settings",
  label: "General",
  group: "Settings",
  permission: "settings:read",
  routes: [{ path: "/", load: () => import("./page.tsx") }],
};
