import { z } from "zod";
import { normaliseMetadata } from "../kernel/metadata.ts";
import { type Cents, cents, fromRand } from "../kernel/money.ts";
import { codePoints, isStorable } from "../kernel/text.ts";
import { parseDateTime } from "../kernel/time.ts";

/** Text that may be stored, trimmed, of `min` to `max` code points (contract 9). */
export const text = (min: number, max: number) => sized(z.string().trim(), min, max);

/** As `text`, kept and counted as it was given: where the spec does not trim (contract 9). */
export const textAsGiven = (max: number) => sized(z.string(), 0, max);

function sized(schema: z.ZodString, min: number, max: number) {
  return schema
    .superRefine((value, context) => {
      const length = codePoints(value);
      if (length < min) context.addIssue(size("too_small", { minimum: min }, value, atLeast(min)));
      else if (length > max)
        context.addIssue(size("too_big", { maximum: max }, value, `must be at most ${max} characters`));
      else if (!isStorable(value))
        context.addIssue({ code: "custom", input: value, message: "must not hold NUL or broken Unicode characters" });
    })
    .meta({ minLength: min, maxLength: max });
}

const atLeast = (min: number) => (min === 1 ? "must not be empty" : `must be at least ${min} characters`);

const size = (
  code: "too_small" | "too_big",
  bound: { minimum: number } | { maximum: number },
  input: unknown,
  message: string,
) =>
  ({ code, origin: "string", inclusive: true, input, message, ...bound }) as Parameters<
    z.core.$RefinementCtx["addIssue"]
  >[0];

/** An amount in major units above zero up to `maxRand`, as whole cents; rounding to zero is refused (spec 4.2). */
export function money(maxRand: number) {
  return z
    .number("must be a JSON number in major units")
    .gt(0, "must be greater than 0")
    .max(maxRand, `must be at most ${maxRand}`)
    .transform((value, context): Cents => {
      const rounded = fromRand(value);
      if (rounded > 0) return rounded;
      context.addIssue({
        code: "too_small",
        origin: "number",
        minimum: 0,
        inclusive: false,
        input: value,
        message: "rounds to 0",
      });
      return cents(0);
    });
}

/** An e-mail address of at most 200 characters (contract 9). */
export const email = () => text(1, 200).pipe(z.email("must be an e-mail address such as thandi@example.co.za"));

/** Upper-cased; whether it is ISO 4217 is checked against the runtime's list (spec 2.1). */
export const currency = () =>
  z
    .string()
    .trim()
    .toUpperCase()
    .refine((code) => CURRENCIES.has(code), "must be an ISO 4217 currency code such as ZAR")
    .meta({ pattern: "^[A-Za-z]{3}$", examples: ["ZAR"] });

const CURRENCIES = new Set(Intl.supportedValuesOf("currency"));

/** ISO 8601 with seconds and Z or an offset (spec 4.2). */
export const dateTime = () =>
  z
    .string()
    .transform((value, context) => {
      const parsed = parseDateTime(value);
      if (parsed) return parsed;
      context.addIssue({
        code: "custom",
        input: value,
        message: "must be ISO 8601 with seconds and Z or an offset, such as 2026-12-31T23:59:59Z",
      });
      return z.NEVER;
    })
    .meta({ format: "date-time" });

/** Spec 2.1, metadata: normalised to strings; null clears it. */
export const metadata = () =>
  z
    .unknown()
    .transform((value, context) => {
      try {
        return value === null ? {} : normaliseMetadata(value);
      } catch (error) {
        context.addIssue({
          code: "custom",
          input: value,
          message: error instanceof Error ? error.message : "is not valid metadata",
        });
        return z.NEVER;
      }
    })
    .meta({ type: "object", additionalProperties: { type: ["string", "number", "boolean", "null"] } });

/** How often something recurs (spec 2.3). */
export const frequency = () => z.enum(["monthly", "quarterly", "biannually", "annually"]);

/** A rate in percent, 0 to 100 with at most 4 decimals (spec 2.5, `taxRate`). */
export const percent = () =>
  z
    .number("must be a JSON number in percent")
    .min(0, "must be at least 0")
    .max(100, "must be at most 100")
    .refine((value) => /^\d{1,3}(\.\d{1,4})?$/.test(String(value)), "must have at most 4 decimals");

/** A field that may be left out or null, which mean the same. */
export const optional = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value) => (value ?? null) as z.output<T> | null);

/** Spec 4.1: 1-100, default 20; out of range is clamped, nonsense falls back. */
export const limit = () =>
  z
    .unknown()
    .optional()
    .transform((value) => {
      const asked = typeof value === "string" && /^[+-]?\d+$/.test(value.trim()) ? Number(value) : 20;
      return Math.min(100, Math.max(1, asked));
    })
    .meta({ type: "integer", minimum: 1, maximum: 100, default: 20 });

/** A query filter: trimmed text; a text no record can hold matches nothing rather than failing. */
export const filter = () =>
  z
    .union([z.string(), z.array(z.string()).transform((values) => values.at(-1) ?? "")])
    .transform((value) => (isStorable(value) ? value.trim() : ""))
    .optional();

/** Replies: timestamp of spec 2.1. */
export const timestamp = () => z.string().meta({ format: "date-time" });
