import type { Resource } from "../../components/resource.ts";

/** Addresses to which events are sent (interface 6). */
export const webhookEndpoints: Resource = {
  name: "webhook-endpoints",
  label: "Webhook endpoints",
  group: "Developers",
  permission: "webhooks:read",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/new", load: () => import("./form.tsx"), permission: "webhooks:write" },
    { path: "/$id", load: () => import("./page.tsx") },
    { path: "/$id/edit", load: () => import("./edit.tsx"), permission: "webhooks:write" },
  ],
};
