import type { Resource } from "../../components/resource.ts";

/** The clock and the sandbox gateway of a sandbox organisation (interface 13). */
export const sandbox: Resource = {
  name: "sandbox",
  label: "Sandbox",
  group: "Developers",
  permission: "test_clock:read",
  only: "sandbox",
  routes: [{ path: "/", load: () => import("./page.tsx") }],
};
