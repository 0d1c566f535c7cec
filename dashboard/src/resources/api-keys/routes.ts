import type { Resource } from "../../components/resource.ts";

/** Keys of the client API (interface 5). */
export const apiKeys: Resource = {
  name: "api-keys",
  label: "API keys",
  group: "Developers",
  permission: "api_keys:read",
  routes: [
    { path: "/", load: () => import("./list.tsx") },
    { path: "/new", load: () => import("./form.tsx"), permission: "api_keys:write" },
  ],
};
