import type { Resource } from "../../components/resource.ts";

/** Requests of API keys (interface 14.2). */
export const requestLog: Resource = {
  name: "request-log",
  label: "Request log",
  group: "Developers",
  permission: "api_keys:read",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/$id", load: () => import("./page.tsx") },
  ],
};
