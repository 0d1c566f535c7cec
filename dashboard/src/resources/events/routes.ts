import type { Resource } from "../../components/resource.ts";

/** Events, as they are sent to webhook endpoints (interface 6). */
export const events: Resource = {
  name: "events",
  label: "Events",
  group: "Developers",
  permission: "events:read",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/$id", load: () => import("./page.tsx") },
  ],
};
