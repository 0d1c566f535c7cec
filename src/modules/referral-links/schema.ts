import { z } from "zod";
import { timestamp } from "../../platform/schema.ts";

/** Interface 2.14, referral link. */
export const ReferralLinkObject = z
  .object({
    object: z.literal("referral_link"),
    partner: z.string(),
    name: z.string(),
    url: z.string(),
    clicks: z.int(),
    signUps: z.int(),
    createdAt: timestamp(),
  })
  .meta({ id: "ReferralLink" });
