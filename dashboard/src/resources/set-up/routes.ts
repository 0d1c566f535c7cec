import type { Resource } from "../../components/resource.ts";

/** What a new organisation sets up before its first payment. */
export const setUp: Resource = {
  name: "set-up",
  label: "Set up",
  group: "Settings",
  permission: "settings:read",
  routes: [{ path: "/", load: () => import("./page.tsx") }],
};
