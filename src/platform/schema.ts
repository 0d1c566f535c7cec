import { z } from "zod";
import { parseColour } from "../kernel/colour.ts";
import { type Decimal, decimal } from "../kernel/decimal.ts";
import { FREQUENCIES } from "../kernel/frequency.ts";
import { normaliseMetadata } from "../kernel/metadata.ts";
import { type Cents, cents, fromRand } from "../kernel/money.ts";
import { codePoints, isStorable } from "../kernel/text.ts";
import {
  addDays,
  addSeconds,
  type CalendarDay,
  type Instant,
  parseCalendarDay,
  parseDateTime,
  startOfDay,
} from "../kernel/time.ts";
import { parseUrl } from "../kernel/urls.ts";

/** Text that may be stored, trimmed, of `min` to `max` code points (interface 2.1). */
export const text = (min: number, max: number) => sized(z.string().trim(), min, max);

/** As `text`, but not trimmed, where the interface does not trim (interface 2.1). */
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

const NUMBER_OF_RAND = "must be a JSON number in major units";

/** An amount in major units above zero up to `maxRand`, as whole cents; rounding to zero is refused (interface 4.2). */
export const money = (maxRand: number) => rounded(z.number(NUMBER_OF_RAND).gt(0, "must be greater than 0"), maxRand);

/** An amount as `money` that may also be zero. */
export const moneyOrZero = (maxRand: number) => rounded(z.number(NUMBER_OF_RAND).min(0, "must be at least 0"), maxRand);

function rounded(schema: z.ZodNumber, maxRand: number) {
  return schema.max(maxRand, `must be at most ${maxRand}`).transform((value, context): Cents => {
    const amount = fromRand(value);
    if (amount > 0 || value === 0) return amount;
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

/** An amount as `money`, but with more than two decimals it is refused, not rounded (interface 4.11). */
export const exactMoney = (maxRand: number) =>
  z
    .number(NUMBER_OF_RAND)
    .gt(0, "must be greater than 0")
    .max(maxRand, `must be at most ${maxRand}`)
    .refine((value) => value <= 0 || decimal(value, 2) !== null, "must have at most 2 decimals")
    .transform(fromRand);

/** An https URL of at most 1000 characters, written exactly as every parser reads it (decisions.md#ambiguous-urls). */
export const httpsUrl = () =>
  text(1, 1000)
    .superRefine((value, context) => {
      const parsed = parseUrl(value, { sandbox: false });
      if (!parsed.ok) context.addIssue({ code: "custom", input: value, message: parsed.message });
    })
    .meta({ format: "uri", minLength: 1, maxLength: 1000 });

/** An e-mail address of at most 200 characters (interface 4.4). */
export const email = () => text(1, 200).pipe(z.email("must be an e-mail address such as thandi@example.co.za"));

/** Converted to upper case and checked against the runtime's list of ISO 4217 codes (interface 2.1). */
export const currency = () =>
  z
    .string()
    .trim()
    .toUpperCase()
    .refine((code) => CURRENCIES.has(code), "must be an ISO 4217 currency code such as ZAR")
    .meta({ pattern: "^[A-Za-z]{3}$", examples: ["ZAR"] });

const CURRENCIES = new Set(Intl.supportedValuesOf("currency"));

const FACTOR_MAX = 1_000_000_000;
const FACTOR_DECIMALS = 6;

/** A number as its shortest decimal text: quantities and prices are stored as given, never as binary floats (interface 16.1). */
const factor = (schema: z.ZodNumber) =>
  schema.max(FACTOR_MAX, `must be at most ${FACTOR_MAX}`).transform((value, context): Decimal => {
    const parsed = decimal(value, FACTOR_DECIMALS);
    if (parsed !== null) return parsed;
    context.addIssue({ code: "custom", input: value, message: `must have at most ${FACTOR_DECIMALS} decimals` });
    return z.NEVER;
  });

/** A line's quantity: above zero, at most 6 decimals (interface 4.5, 4.6). */
export const quantity = () => factor(z.number("must be a JSON number").gt(0, "must be greater than 0"));

/** The price of one unit, in major units: zero or more, at most 6 decimals (interface 4.5). `below` refuses a negative one. */
export const unitPrice = (below = "must be at least 0") => factor(z.number("must be a JSON number").min(0, below));

/** A whole number from `min` to `max`. */
export const whole = (min: number, max: number) =>
  z.int("must be a whole number").min(min, `must be at least ${min}`).max(max, `must be at most ${max}`);

/** Interface 2.1, metadata: normalised to strings; null clears it. */
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

/** How often something recurs (interface 2.3). */
export const frequency = () => z.enum(FREQUENCIES);

/** A rate in percent, 0 to 100 with at most 4 decimals (interface 2.5, `taxRate`). */
export const percent = () =>
  z
    .number("must be a JSON number in percent")
    .min(0, "must be at least 0")
    .max(100, "must be at most 100")
    .refine((value) => /^-?\d{1,3}(\.\d{1,4})?$/.test(String(value)), "must have at most 4 decimals");

/** The type `never`, for a number: `NaN` and infinity become null in JSON, so null must not stand for a default amount. */
type NotANumber<T extends z.ZodType> = z.input<T> extends number ? never : T;

/** A field that may be left out or null, with the same meaning. For a number use `optionalNumber`. */
export const optional = <T extends z.ZodType>(schema: T & NotANumber<T>) =>
  schema.nullish().transform((value) => (value ?? null) as z.output<T> | null);

/** A number that may be left out, then it is null. A given null is refused. */
export const optionalNumber = <T extends z.ZodType<unknown, number>>(schema: T) =>
  schema.optional().transform((value) => (value ?? null) as z.output<T> | null);

/** As `optionalNumber`, where the interface gives null a meaning of its own, the same as leaving it out. */
export const nullableNumber = <T extends z.ZodType<unknown, number>>(schema: T) =>
  schema.nullish().transform((value) => (value ?? null) as z.output<T> | null);

/** Interface 4.1: 1-100, default 20; a number out of range is clamped, anything else gives the default. */
export const limit = () =>
  z.unknown().optional().transform(limitOf).meta({ type: "integer", minimum: 1, maximum: 100, default: 20 });

/** As `limit`, of a list that is answered whole where none is given. */
export const limitOrAll = () =>
  z
    .unknown()
    .optional()
    .transform((value) => (value === undefined ? undefined : limitOf(value)))
    .meta({ type: "integer", minimum: 1, maximum: 100 });

function limitOf(value: unknown): number {
  const asked = typeof value === "string" && /^[+-]?\d+$/.test(value.trim()) ? Number(value) : 20;
  return Math.min(100, Math.max(1, asked));
}

/** A query filter: trimmed text; a text that cannot be stored matches nothing and is no error. */
export const filter = () =>
  z
    .union([z.string(), z.array(z.string()).transform((values) => values.at(-1) ?? "")])
    .transform((value) => (isStorable(value) ? value.trim() : ""))
    .optional();

/** A payment's reference, or an EFT order's. */
const PAYMENT_REFERENCE = "[A-Z]{3,5}-[0-9A-Za-z-]{6,40}";

/**
 * Cursor of a list: the id of a record received, of one of the list's kinds, or of a payment its reference; empty: from the beginning.
 */
function cursor(kinds: readonly string[]) {
  const form = new RegExp(
    `^(?:(?:${kinds.join("|")})_[0-9a-z]{26,32}${kinds.includes("txn") ? `|${PAYMENT_REFERENCE}` : ""})$`,
  );
  return z
    .union([z.string(), z.array(z.string()).transform((values) => values.at(-1))])
    .optional()
    .transform((value) => value?.trim() || undefined)
    .refine(
      (value) => value === undefined || form.test(value),
      "must be the nextCursor of this list, or an id from it",
    );
}

/** A query filter that takes these values only: 400 for any other. */
export const oneOf = <const Values extends readonly string[]>(values: Values) =>
  filter()
    .pipe(z.enum(values, `must be one of ${values.join(", ")}`).optional())
    .meta({ enum: values });

/** A query filter that takes several values, with commas between them: 400 for a value that does not exist. */
export const someOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  filter()
    .transform((given) => given?.split(",").map((value) => value.trim()))
    .pipe(z.array(z.enum(values, `must be some of ${values.join(", ")}, with commas between them`)).optional())
    .meta({ type: "string" });

/** Query of a list that takes no search text: cursor (an id of one of these kinds), filters, limit. */
export const pageQuery = <Filters extends z.ZodRawShape>(kinds: readonly string[], filters: Filters) =>
  z.object({ ...filters, limit: limit(), startingAfter: cursor(kinds), endingBefore: cursor(kinds) });

/** As `pageQuery`, with search text. */
export const listQuery = <Filters extends z.ZodRawShape>(kinds: readonly string[], filters: Filters) =>
  pageQuery(kinds, { ...filters, q: filter() });

/** As `listQuery`, of records that are also found by the time at which they were created (`RecordFilter` of src/domain/lists.ts). */
export const recordQuery = <Filters extends z.ZodRawShape>(kinds: readonly string[], filters: Filters) =>
  listQuery(kinds, {
    ...filters,
    createdFrom: moment(startOfDay)
      .optional()
      .describe("The earliest time of creation; of a South African day, its begin."),
    createdTo: moment((day) => startOfDay(addDays(day, 1)), 1)
      .optional()
      .describe("The latest time of creation; of a South African day, its end."),
  });

/**
 * A time in a query: a date-time, or a day, which stands for what `ofDay` makes of it. `later` milliseconds are added to a date-time.
 * Empty: none.
 */
export const moment = (ofDay: (day: CalendarDay) => Instant, later = 0) =>
  filter()
    .transform((value, context): Instant | undefined => {
      if (!value) return undefined;
      const day = parseCalendarDay(value);
      const time = day ? ofDay(day) : parseDateTime(value);
      if (time) return day ? time : addSeconds(time, later / 1000);
      context.addIssue({
        code: "custom",
        input: value,
        message: "must be a day such as 2026-12-31, or a date-time such as 2026-12-31T23:59:59Z",
      });
      return z.NEVER;
    })
    .meta({ type: "string", examples: ["2026-12-31"] });

/** A filter by values of metadata: `metadata[key]=value`, several at once. */
export const metadataFilter = () =>
  z
    .record(z.string(), z.string())
    .refine(
      (values) => Object.entries(values).every((pair) => pair.every(isStorable)),
      "must not hold NUL or broken Unicode characters",
    )
    .optional()
    .describe("Only those whose metadata has this value: `metadata[order]=1042`.");

/** What a list's query asks for beside its page. */
export type FiltersOf<Query> = Query extends z.ZodType
  ? Omit<z.output<Query>, "limit" | "startingAfter" | "endingBefore">
  : never;

const emptyAsNull = <T extends z.ZodType<string>>(schema: T) => schema.transform((value) => value || null);

/** Text that may be cleared; an empty text means null. */
export const clearable = (max: number) => emptyAsNull(text(0, max)).nullable();

/** As `textAsGiven`; an empty text means null. The field that uses it declares whether null itself may be sent. */
export const textOrNull = (max: number) => emptyAsNull(textAsGiven(max));

/** A colour as `#rrggbb` or `#rgb`, stored as `#rrggbb`; an empty text means null. */
export const colour = () =>
  z
    .string()
    .trim()
    .transform((value, context) => {
      const parsed = parseColour(value);
      if (parsed || value === "") return parsed;
      context.addIssue({ code: "custom", input: value, message: "must be a colour such as #0b5d4b" });
      return z.NEVER;
    })
    .meta({ pattern: "^(#([0-9a-fA-F]{3}){1,2})?$", examples: ["#0b5d4b"] });

/** A boolean; left out or null means `fallback`. */
export const flag = (fallback: boolean) =>
  z
    .boolean()
    .nullish()
    .transform((value) => value ?? fallback);

/** Replies: timestamp of interface 2.1. */
export const timestamp = () => z.string().meta({ format: "date-time" });
