import type { Resource } from "../../components/resource.ts";

/** Mails that the service has written (interface 14.2). */
export const emails: Resource = {
  name: "emails",
  label: "Emails",
  group: "Customers",
  permission: "emails:read",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/$id", load: () => import("./page.tsx") },
  ],
};
