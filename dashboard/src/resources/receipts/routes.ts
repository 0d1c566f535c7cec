import type { Resource } from "../../components/resource.ts";

/** The money that came and went, by the day on which it came (interface 14.2). */
export const receipts: Resource = {
  name: "receipts",
  label: "Received",
  group: "Reports",
  permission: "transactions:read",
  routes: [{ path: "/", load: () => import("./list.tsx") }],
};
