import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from "@tanstack/react-router";
import type { FunctionComponent } from "react";
import type { Resource, ResourceRoute } from "../components/resource.ts";
import { BASE } from "../lib/paths.ts";
import { Gate } from "./gate.tsx";
import { NotFound } from "./not-found.tsx";
import { ResourceGuard } from "./resource-guard.tsx";
import { RESOURCES } from "./resources.ts";

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

/** All routes for signed-in people; others see the sign-in instead, at the same address. */
const gate = createRoute({ getParentRoute: () => root, id: "gate", component: Gate });

const home = createRoute({
  getParentRoute: () => gate,
  path: "/",
  component: lazyRouteComponent(() => import("./home/page.tsx"), "Page"),
});

const newOrganisation = createRoute({
  getParentRoute: () => gate,
  path: "/organisations/new",
  component: lazyRouteComponent(() => import("./new-organisation.tsx"), "Page"),
});

const account = createRoute({
  getParentRoute: () => gate,
  path: "/account",
  component: lazyRouteComponent(() => import("./account/page.tsx"), "Page"),
});

function resourceRoutes(resource: Resource) {
  return resource.routes.map((route: ResourceRoute) => {
    const Page = lazyRouteComponent<{ readonly Page: FunctionComponent }, "Page">(route.load, "Page");
    return createRoute({
      getParentRoute: () => gate,
      path: `/${resource.name}${route.path === "/" ? "" : route.path}`,
      component: () => (
        <ResourceGuard resource={resource} permission={route.permission ?? resource.permission}>
          <Page />
        </ResourceGuard>
      ),
      loader: () => Page.preload?.(),
    });
  });
}

const everywhere = createRoute({ getParentRoute: () => gate, path: "$", component: NotFound });

const open = [
  createRoute({
    getParentRoute: () => root,
    path: "/invitations/$token",
    component: lazyRouteComponent(() => import("./invitation.tsx"), "Invitation"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/reset-password/$token",
    component: lazyRouteComponent(() => import("./reset-password.tsx"), "ResetPassword"),
  }),
];

/** The routes of all resources; each page is a file of its own, loaded when somebody points at its link. */
export const router = createRouter({
  routeTree: root.addChildren([
    ...open,
    gate.addChildren([home, newOrganisation, account, ...RESOURCES.flatMap(resourceRoutes), everywhere]),
  ]),
  basepath: BASE,
  defaultPreload: "intent",
  scrollRestoration: true,
  // Values in an address are texts, as the API expects them.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(search as Record<string, string>).toString();
    return text === "" ? "" : `?${text}`;
  },
});
