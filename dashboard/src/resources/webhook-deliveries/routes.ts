import type { Resource } from "../../components/resource.ts";

/** Deliveries to webhook endpoints (interface 6). */
export const webhookDeliveries: Resource = {
  name: "webhook-deliveries",
  label: "Deliveries",
  group: "Developers",
  permission: "events:read",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/$id", load: () => import("./page.tsx") },
  ],
};
