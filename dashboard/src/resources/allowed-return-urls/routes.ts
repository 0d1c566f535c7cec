import type { Resource } from "../../components/resource.ts";

/** Where payers may be led back to (interface 14.2). */
export const returnUrls: Resource = {
  name: "allowed-return-urls",
  label: "Return URLs",
  group: "Developers",
  permission: "settings:read",
  routes: [{ path: "/", load: () => import("./page.tsx") }],
};
