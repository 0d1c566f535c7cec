import type { Resource } from "../../components/resource.ts";

/** Changes with their actors (interface 14.2). */
export const auditLog: Resource = {
  name: "audit-log",
  label: "Audit log",
  group: "Settings",
  permission: "audit_log:read",
  routes: [{ path: "/", load: () => import("./list.tsx") }],
};
