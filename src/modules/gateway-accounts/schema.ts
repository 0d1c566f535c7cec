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
    notifyUrl: z
      .string()
      .nullable()
      .describe("The address for the gateway's notifications; null for a gateway that sends none."),
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
        where: z.string().nullable().describe("Where the gateway's own dashboard shows it."),
        pattern: z.string().nullable().describe("The whole value matches."),
        hint: z.string().nullable(),
        choices: z.array(z.string()).nullable(),
      }),
    ),
    capabilities: z.array(z.string()),
    currencies: z.array(z.string()).nullable().describe("Null: any."),
    needsPayerEmail: z.boolean(),
    minimumAmounts: z.record(z.string(), z.number()).describe("For live payments, in major units, by currency."),
    sandboxOnly: z.boolean(),
    fees: z
      .object({
        about: z.string(),
        reported: z.boolean().describe("Whether the service gets the fee of each payment from the gateway."),
      })
      .nullable(),
    limits: z.array(z.string()).describe("What the gateway cannot do, or only within limits."),
    notifyUrl: z
      .enum(["sent with each payment", "registered when saved", "pasted by staff"])
      .nullable()
      .describe("How the gateway learns where to send notifications; null for one that sends none."),
    canBeTested: z.boolean().describe("Whether its credentials can be tested before they are saved."),
  })
  .meta({ id: "GatewayType" });

/** Body of `POST /gateways/test`: an account that is not saved. */
export const GatewayAccountTest = z.object({
  type: given.type,
  mode: given.mode.optional(),
  credentials: given.credentials.optional(),
});

/** Body of `POST /gateways/{id}/test`: credentials that are not given are those of the account. */
export const GatewayAccountRetest = z.object({ credentials: given.credentials.optional() });

/** The gateway's answer to a test. */
export const GatewayTestObject = z
  .object({
    result: z
      .enum(["works", "refused", "unclear", "not_asked"])
      .describe("unclear: the gateway does not answer; not_asked: it cannot be asked without an effect."),
    message: z.string(),
  })
  .meta({ id: "GatewayTest" });

/** The health of a gateway account. */
export const GatewayHealthObject = z
  .object({
    gatewayId: z.string(),
    status: z
      .enum(["up", "failing", "down"])
      .describe(
        "down: three calls in a row had no clear answer, the last within five minutes; payers are offered the other gateways first.",
      ),
    days: z.number().describe("How many days the counts of notifications and payments are about."),
    notifications: z.object({
      lastAt: timestamp().nullable(),
      applied: z.number(),
      repeated: z.number(),
      mismatch: z.number().describe("Kept and flagged: another amount, currency or account."),
      unknown: z.number().describe("Not about a payment of this account."),
      refused: z.number().describe("Not proven to be from the gateway; counted since the account exists."),
      lastRefusedAt: timestamp().nullable(),
      lastRefusal: z.string().nullable(),
    }),
    unclearCalls: z.object({
      count: z.number().describe("Of all time."),
      inARow: z.number().describe("Since the last clear answer."),
      lastAt: timestamp().nullable(),
      last: z.string().nullable(),
    }),
    payments: z.object({
      expected: z.number().describe("Decided, or pending for more than an hour."),
      seen: z.number().describe("Decided by a notification."),
      foundByAsking: z.number().describe("Decided by asking the gateway, since there was no notification."),
      waiting: z.number().describe("Pending for more than an hour."),
      oldestWaitingSince: timestamp().nullable(),
    }),
  })
  .meta({ id: "GatewayHealth" });
