import { z } from "zod";
import { PLANS } from "../../kernel/plans.ts";
import { statusOf } from "../../modules/organisations/states.ts";
import { endpoint } from "../endpoint.ts";

/** The API's version (interface 9.4, 4.1). */
const API_VERSION = "1.16.0";

const Identity = z
  .object({
    apiVersion: z.string(),
    organisation: z.object({ id: z.string(), name: z.string(), slug: z.string(), sandbox: z.boolean() }),
    tenant: z.object({ status: z.enum(["trial", "active", "suspended", "cancelled", "expired"]) }),
    plan: z.object({ name: z.string(), features: z.array(z.string()) }),
    key: z.object({ id: z.string(), permissions: z.array(z.string()) }).nullable(),
    capabilities: z.object({
      savedCards: z.boolean(),
      chargeSavedCards: z.boolean(),
      accountStanding: z.boolean(),
      externalSubscriptions: z.boolean(),
    }),
  })
  .meta({ id: "Identity" });

/** The endpoints of interface 4.1, identity. A capability is true when its resource is served. */
export const meEndpoints = [
  endpoint({
    audience: "clients",
    tag: { name: "Identity", about: "Who the caller is and what the plan allows." },
    method: "GET",
    path: "/me",
    summary: "Who this key belongs to and what it may do",
    permission: "settings:read",
    replies: { 200: Identity },
    async handle({ ctx }) {
      const { organisation, actor, now } = ctx;
      return {
        status: 200,
        body: {
          apiVersion: API_VERSION,
          organisation: {
            id: organisation.id,
            name: organisation.name,
            slug: organisation.slug,
            sandbox: organisation.sandbox,
          },
          tenant: { status: statusOf(organisation, now) },
          plan: { name: organisation.plan, features: PLANS[organisation.plan].features },
          key: actor.kind === "key" ? { id: actor.id, permissions: actor.permissions ?? [] } : null,
          capabilities: {
            savedCards: true,
            chargeSavedCards: true,
            accountStanding: true,
            externalSubscriptions: true,
          },
        },
      };
    },
  }),
];
