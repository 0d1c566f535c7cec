import type { Resource } from "../../components/resource.ts";

/** The settings of the organisation (interface 14.2). */
export const settings: Resource = {
  name: "settings",
  label: "General",
  group: "Settings",
  permission: "settings:read",
  routes: [{ path: "/", load: () => import("./page.tsx") }],
};
