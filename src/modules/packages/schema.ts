import { z } from "zod";
import { exemptMark, oneRate, priceTax, standardRate } from "../../domain/schema.ts";
import {
  clearable,
  currency,
  filter,
  frequency,
  httpsUrl,
  listQuery,
  moneyOrZero,
  text,
  timestamp,
  whole,
} from "../../platform/schema.ts";
import { CALLS_TO_ACTION } from "./types.ts";

const AMOUNT_MAX_RAND = 10_000_000;
/** Two years. */
const TRIAL_DAYS_MAX = 731;
const CYCLES_MAX = 1_000;

const packageFields = {
  name: text(1, 200),
  description: clearable(1000),
  enabled: z.boolean(),
};

/** Body of `POST /packages` (interface 4.15). */
export const PackageCreate = z.object(packageFields).partial().extend({ name: packageFields.name });
export type PackageCreateBody = z.output<typeof PackageCreate>;

/** Body of `PATCH /packages/{id}`. */
export const PackagePatch = z.object(packageFields).partial();
export type PackagePatchBody = z.output<typeof PackagePatch>;

const planFields = {
  code: clearable(100),
  name: text(1, 200),
  amount: moneyOrZero(AMOUNT_MAX_RAND),
  currency: currency(),
  frequency: frequency(),
  setupFee: moneyOrZero(AMOUNT_MAX_RAND),
  trialDays: whole(0, TRIAL_DAYS_MAX),
  ...priceTax,
  enabled: z.boolean(),
  callToAction: z.enum(CALLS_TO_ACTION),
  callToActionUrl: httpsUrl().nullable(),
  /** Null means no end. */
  cycles: whole(1, CYCLES_MAX).nullable(),
};

/** Body of `POST /packages/{id}/plans` (interface 4.15). */
export const PlanCreate = oneRate(
  z
    .object(planFields)
    .partial()
    .extend({ name: planFields.name, amount: planFields.amount, frequency: planFields.frequency }),
);
export type PlanCreateBody = z.output<typeof PlanCreate>;

/** Body of `PATCH /packages/{id}/plans/{planId}`. */
export const PlanPatch = oneRate(z.object(planFields).partial());
export type PlanPatchBody = z.output<typeof PlanPatch>;

/** Query of `GET /packages`. */
export const PackageQuery = listQuery(["pkg"], {});

/** Query of `GET /plans` and of a package's plans. */
export const PlanQuery = listQuery(["plan"], { code: filter() });

/** Interface 2.14, plan. */
export const PlanObject = z
  .object({
    id: z.string(),
    packageId: z.string(),
    code: z.string().nullable(),
    name: z.string(),
    amount: z.number(),
    currency: z.string(),
    frequency: frequency(),
    setupFee: z.number(),
    trialDays: z.int(),
    taxRate: z.number(),
    standardRate: standardRate(),
    taxExempt: exemptMark(),
    taxInclusive: z.boolean(),
    enabled: z.boolean(),
    callToAction: z.enum(CALLS_TO_ACTION),
    callToActionUrl: z.string().nullable(),
    cycles: z.int().nullable(),
    version: z.int(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "Plan" });

/** Interface 2.14, package. */
export const PackageObject = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    enabled: z.boolean(),
    plans: z.array(PlanObject),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "Package" });
