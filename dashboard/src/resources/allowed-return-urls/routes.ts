import type { Resource } from "../../components/resource.ts";

/** The origins to which payers may return (interface 14.2). */
export const returnUrls: Resource = {
  name: "allowed-return-urls",
  label: "Return URLs",
  group: "Developers",
  permission: "settings:read",
  routes: [{ path: "/", load: () => import("./page.tsx") }],
};
