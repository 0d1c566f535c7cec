import { z } from "zod";
import { clearable, currency, money, percent, recordQuery, text, timestamp, whole } from "../../platform/schema.ts";
import { dayOrTime } from "../../platform/schema-dates.ts";
import { DURATIONS } from "./types.ts";

const AMOUNT_MAX_RAND = 10_000_000;
const CYCLES_MAX = 1_000;
const REDEMPTIONS_MAX = 1_000_000_000;
const RESTRICTED_TO_MAX = 100;

const restricted = () =>
  z
    .array(text(1, 100))
    .max(RESTRICTED_TO_MAX, `must name at most ${RESTRICTED_TO_MAX}`)
    .nullable()
    .transform((ids) => [...new Set(ids ?? [])]);

/** Null stands for the other of percent and amount, for no bound and no limit, and for everything sold. */
const given = {
  code: text(1, 50),
  name: clearable(200),
  percent: percent()
    .refine((value) => value !== 0, "must be greater than 0")
    .nullable(),
  amount: money(AMOUNT_MAX_RAND).nullable(),
  currency: currency(),
  duration: z.enum(DURATIONS),
  cycles: whole(1, CYCLES_MAX).nullable(),
  startsAt: dayOrTime().nullable(),
  endsAt: dayOrTime().nullable(),
  maxRedemptions: whole(1, REDEMPTIONS_MAX).nullable(),
  maxRedemptionsPerCustomer: whole(1, REDEMPTIONS_MAX).nullable(),
  planIds: restricted(),
  productIds: restricted(),
  enabled: z.boolean(),
};

/** Body of `POST /coupons` (interface 14.2). */
export const CouponCreate = z.object(given).partial().extend({ code: given.code });
export type CouponCreateBody = z.output<typeof CouponCreate>;

/** Body of `PATCH /coupons/{id}`. */
export const CouponPatch = z.object(given).partial();
export type CouponPatchBody = z.output<typeof CouponPatch>;

/** Query of `GET /coupons`. */
export const CouponQuery = recordQuery(["cpn"], {});

/** Interface 2.14, coupon. */
export const CouponObject = z
  .object({
    id: z.string(),
    code: z.string(),
    name: z.string().nullable(),
    percent: z.number().nullable(),
    amount: z.number().nullable(),
    currency: z.string(),
    duration: z.enum(DURATIONS),
    cycles: z.int().nullable(),
    startsAt: z.string().nullable(),
    endsAt: z.string().nullable(),
    maxRedemptions: z.int().nullable(),
    maxRedemptionsPerCustomer: z.int().nullable(),
    redemptions: z.int(),
    planIds: z.array(z.string()),
    productIds: z.array(z.string()),
    enabled: z.boolean(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "Coupon" });
