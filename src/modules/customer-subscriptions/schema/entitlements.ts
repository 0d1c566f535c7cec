import { z } from "zod";

/** Interface 4.8: what a customer is entitled to now. */
export const EntitlementsObject = z
  .object({
    object: z.literal("customer_entitlements"),
    customerId: z.string(),
    data: z.array(
      z
        .object({
          key: z.string(),
          type: z.enum(["boolean", "limit"]),
          value: z
            .union([z.boolean(), z.int()])
            .nullable()
            .describe("True or false of a boolean; of a limit a whole number, or null for no limit."),
          planId: z.string(),
          subscriptionId: z.string().describe("The subscription that gives the best value."),
        })
        .meta({ id: "Entitlement" }),
    ),
    hasMore: z.boolean().optional().describe("Whether there are more; not in events, which have all."),
    nextCursor: z
      .string()
      .nullable()
      .optional()
      .describe("What `startingAfter` takes for the next page, or `endingBefore` for the one before; not in events."),
  })
  .meta({ id: "CustomerEntitlements" });
