import { z } from "zod";
import { exemptMark, oneRate, priceTax, standardRate, tierFields, tierReply } from "../../domain/schema.ts";
import { ZERO } from "../../kernel/money.ts";
import {
  clearable,
  currency,
  filter,
  frequency,
  httpsUrl,
  moneyOrZero,
  recordQuery,
  text,
  timestamp,
  whole,
} from "../../platform/schema.ts";
import { CALLS_TO_ACTION, FEATURE_TYPES } from "./types.ts";

const AMOUNT_MAX_RAND = 10_000_000;
/** Two years. */
const TRIAL_DAYS_MAX = 731;
const CYCLES_MAX = 1_000;
const FEATURES_MAX = 100;
const FEATURE_KEY_MAX = 60;
const PRICES_MAX = 50;

/** Of a feature: what the merchant's software asks for. */
const featureKey = () =>
  text(1, FEATURE_KEY_MAX).refine(
    (key) => /^[a-z][a-z0-9_.-]*$/.test(key),
    "must begin with a lower-case letter and have only lower-case letters, digits, underscores, dots and hyphens, such as api_calls",
  );

/** Whether no two of a list have the same value of a field. */
const distinct =
  <Field extends string>(field: Field) =>
  (list: readonly Readonly<Record<Field, string>>[]): boolean =>
    new Set(list.map((one) => one[field])).size === list.length;

/** What a plan includes (interface 4.15). */
const features = () =>
  z
    .array(
      z.discriminatedUnion(
        "type",
        [
          z.object({
            key: featureKey(),
            type: z.literal("boolean"),
            value: z.boolean("must be true or false, since the feature's type is boolean"),
          }),
          z.object({
            key: featureKey(),
            type: z.literal("limit"),
            value: whole(0, Number.MAX_SAFE_INTEGER).nullable().describe("Null: without limit."),
          }),
        ],
        `must have a type: ${FEATURE_TYPES.join(" or ")}`,
      ),
    )
    .max(FEATURES_MAX, `must have at most ${FEATURES_MAX} features`)
    .refine(distinct("key"), "must not have two features with one key");

/** Prices of a plan in other currencies than its own (interface 4.15). */
const prices = () =>
  z
    .array(
      z
        .object({
          currency: currency(),
          amount: moneyOrZero(AMOUNT_MAX_RAND),
          setupFee: moneyOrZero(AMOUNT_MAX_RAND).optional(),
        })
        .transform(({ setupFee = ZERO, ...price }) => ({ ...price, setupFee })),
    )
    .max(PRICES_MAX, `must have at most ${PRICES_MAX} prices`)
    .refine(distinct("currency"), "must not have two prices in one currency");

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
  ...tierFields(),
  currency: currency(),
  frequency: frequency(),
  setupFee: moneyOrZero(AMOUNT_MAX_RAND),
  prices: prices(),
  trialDays: whole(0, TRIAL_DAYS_MAX),
  ...priceTax,
  features: features(),
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
export const PackageQuery = recordQuery(["pkg"], {});

/** Query of `GET /plans` and of a package's plans. */
export const PlanQuery = recordQuery(["plan"], { code: filter() });

/** What a plan includes: whether something, or how much of it. */
const FeatureObject = z
  .object({
    key: z.string(),
    type: z.enum(FEATURE_TYPES),
    value: z
      .union([z.boolean(), z.int()])
      .nullable()
      .describe("True or false of a boolean; of a limit a whole number, or null for no limit."),
  })
  .meta({ id: "PlanFeature" });

/** Interface 2.14, plan. */
export const PlanObject = z
  .object({
    id: z.string(),
    packageId: z.string(),
    code: z.string().nullable(),
    name: z.string(),
    amount: z.number().describe("Of one unit; beside tiers of the period, whatever the quantity."),
    ...tierReply(),
    currency: z.string(),
    frequency: frequency(),
    setupFee: z.number(),
    prices: z
      .array(z.object({ currency: z.string(), amount: z.number(), setupFee: z.number() }))
      .describe("In other currencies than the plan's own."),
    trialDays: z.int(),
    taxRate: z.number(),
    standardRate: standardRate(),
    taxExempt: exemptMark(),
    taxInclusive: z.boolean(),
    features: z.array(FeatureObject).describe("What its subscribers are entitled to."),
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
