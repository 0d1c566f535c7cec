import { z } from "zod";
import { API_VERSION } from "../../events/event.ts";
import { PLANS } from "../../kernel/plans.ts";
import { toTimestampOrNull } from "../../kernel/time.ts";
import { SCOPES } from "../../modules/api-keys/rules.ts";
import { findApiKey } from "../../modules/api-keys/store.ts";
import type { ApiKey } from "../../modules/api-keys/types.ts";
import { statusOf } from "../../modules/organisations/states.ts";
import { timestamp } from "../../platform/schema.ts";
import { endpoint } from "../endpoint.ts";

const Identity = z
  .object({
    apiVersion: z.string(),
    organisation: z.object({ id: z.string(), name: z.string(), slug: z.string(), sandbox: z.boolean() }),
    tenant: z.object({ status: z.enum(["trial", "active", "suspended", "cancelled", "expired"]) }),
    plan: z.object({ name: z.string(), features: z.array(z.string()) }),
    key: z
      .object({
        id: z.string(),
        name: z.string(),
        permissions: z.array(z.string()),
        scopes: z
          .array(z.enum(SCOPES))
          .nullable()
          .describe("Null: all, but charging saved cards needs its permission."),
        expiresAt: timestamp().nullable(),
        strict: z.boolean().describe("Whether unknown fields of bodies are refused."),
      })
      .nullable(),
    capabilities: z.object({
      savedCards: z.boolean(),
      chargeSavedCards: z.boolean(),
      accountStanding: z.boolean(),
      externalSubscriptions: z.boolean(),
    }),
  })
  .meta({ id: "Identity" });

const keyOf = ({ id, name, permissions, scopes, expiresAt, strict }: ApiKey) => ({
  id,
  name,
  permissions,
  scopes,
  expiresAt: toTimestampOrNull(expiresAt),
  strict,
});

/** The endpoints of interface 4.1, identity. A capability is true when its resource is served. */
export const meEndpoints = [
  endpoint({
    audience: "clients",
    tag: { name: "Identity", about: "Who the caller is and what the plan allows." },
    method: "GET",
    path: "/me",
    summary: "Who this key belongs to and what it may do",
    permission: "settings:read",
    scope: null,
    replies: { 200: Identity },
    async handle({ ctx }, tx) {
      const { organisation, actor, now } = ctx;
      const key = actor.kind === "key" && actor.id ? await findApiKey(tx, actor.id) : null;
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
          key: key && keyOf(key),
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
