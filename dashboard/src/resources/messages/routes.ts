import type { Resource } from "../../components/resource.ts";

/** Messages by SMS and WhatsApp (interface 14.2). */
export const messages: Resource = {
  name: "messages",
  label: "Messages",
  group: "Customers",
  permission: "emails:read",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/$id", load: () => import("./page.tsx") },
  ],
};
