import type { Resource } from "../../components/resource.ts";

/** The merchant's accounts at providers of SMS and WhatsApp (interface 14.2). */
export const messaging: Resource = {
  name: "messaging",
  label: "Messaging",
  group: "Settings",
  permission: "settings:read",
  routes: [{ path: "/", load: () => import("./page.tsx") }],
};
