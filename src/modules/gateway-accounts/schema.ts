import { z } from "zod";
import { currency, listQuery, text, timestamp } from "../../platform/schema.ts";

const mode = z.enum(["live", "sandbox"], "must be live or sandbox");

const given = {
  type: text(1, 60),
  name: text(1, 100),
  mode,
  enabled: z.boolean(),
  credentials: z
    .record(z.string(), z.unknown(), "must be an object")
    .meta({ type: "object", additionalProperties: { type: ["string", "null"] } }),
  currencies: z.array(currency()).min(1, "must name at least one currency").max(200),
};

/** Body of `POST /gateways` (interface 14.2); the flow checks what the type accepts. */
export const GatewayAccountCreate = z.object(given).partial().extend({ type: given.type });
export type GatewayAccountCreateBody = z.output<typeof GatewayAccountCreate>;

/** Body of `PATCH /gateways/{id}`: credentials that are not given stay. */
export const GatewayAccountPatch = z.object(given).partial();
export type GatewayAccountPatchBody = z.output<typeof GatewayAccountPatch>;

/** Query of `GET /gateways`. */
export const GatewayAccountQuery = listQuery(["gw"], {});

/** A gateway account as the dashboard shows it (interface 14.2), without its credentials. */
export const GatewayAccountObject = z
  .object({
    id: z.string(),
    type: z.string(),
    name: z.string(),
    mode,
    enabled: z.boolean(),
    currencies: z.array(z.string()),
    capabilities: z.array(z.string()),
    credentialsSet: z.array(z.string()).describe("Names of the credentials that it has."),
    notifyUrl: z.string().nullable().describe("Where the gateway reports to; null for one that reports nothing."),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "GatewayAccount" });

/** One entry of `GET /gateway-types`. */
export const GatewayTypeObject = z
  .object({
    type: z.string(),
    name: z.string(),
    credentialFields: z.array(
      z.object({
        name: z.string(),
        label: z.string(),
        secret: z.boolean(),
        required: z.boolean(),
        pattern: z.string().nullable().describe("The whole value matches."),
        hint: z.string().nullable(),
        choices: z.array(z.string()).nullable(),
      }),
    ),
    capabilities: z.array(z.string()),
    currencies: z.array(z.string()).nullable().describe("Null: any."),
    needsPayerEmail: z.boolean(),
    minimumAmounts: z.record(z.string(), z.number()).describe("In major units, by currency."),
    sandboxOnly: z.boolean(),
  })
  .meta({ id: "GatewayType" });
