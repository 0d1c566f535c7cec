import type { Unit } from "./currency.ts";
import { begunOf, type Decimal, decimalOf, isMoreDecimal, lessDecimal } from "./decimal.ts";
import { invalidField } from "./errors.ts";
import { lineAmount } from "./lines.ts";
import { roundFraction, subtract, sum, toDecimalText } from "./money.ts";

/*
 * Prices by tiers, with included units and a minimum (interface 16.23, decisions.md#tiers-are-parts-of-a-price): what a quantity costs as
 * parts that are each a quantity times a unit amount.
 */

/**
 * `graduated`: each unit costs what its own tier says; `volume`: all units cost what the tier of their total says;
 * `package`: each begun package of `upTo` units costs the unit amount.
 */
export const TIER_MODES = ["graduated", "volume", "package"] as const;
export type TierMode = (typeof TIER_MODES)[number];

export interface Tier {
  /** The last unit of the tier, after those that are included; null: without end. Of a package, its size. */
  readonly upTo: Decimal | null;
  readonly unitAmount: Decimal;
  /** Due once the tier is reached. */
  readonly flatAmount?: Decimal;
}

/** How the price of a quantity follows from it. */
export interface Tiering {
  readonly tiers?: readonly Tier[];
  /** There when there are tiers. */
  readonly tierMode?: TierMode;
  /** Units that are free; tiers count what is left of the others. */
  readonly includedUnits?: Decimal;
  /** The least that the quantity costs in a full period, in major units. */
  readonly minimumAmount?: Decimal;
}

/** The days for which something is due, and those of the full period that its price is for. */
export interface DaysDue {
  readonly billed: number;
  readonly of: number;
}

/** The minimum that a part of a price makes up to. */
export interface OfMinimum {
  /** For a full period, in major units. */
  readonly amount: Decimal;
  /** There when it is due for other days than a full period's. */
  readonly days?: DaysDue;
}

/** The tier that a part of a price is of. */
export interface OfTier {
  /** From 1; 0 for the units that are included. */
  readonly number: number;
  readonly mode: TierMode | null;
  /** It is of the units over this … */
  readonly over: Decimal;
  /** … and up to this; null: without end. */
  readonly upTo: Decimal | null;
  /** Of the amount that is due once the tier is reached. */
  readonly flat?: true;
}

/** A quantity and its unit amount, in major units. */
export interface TierPart {
  readonly quantity: Decimal;
  readonly unitAmount: Decimal;
  /** Absent of what has no tiers. */
  readonly tier?: OfTier;
  /** Of the part that makes up what the others are short of a minimum. */
  readonly minimum?: OfMinimum;
}

const ZERO = "0" as Decimal;
const ONE = "1" as Decimal;

const isZero = (value: Decimal): boolean => !isMoreDecimal(value, ZERO);
const smaller = (one: Decimal, other: Decimal | null): Decimal =>
  other !== null && isMoreDecimal(one, other) ? other : one;

/** The units of a tier, and the amount that is due once it is reached; nothing of one that is not. */
function partsOfTier(quantity: Decimal, { unitAmount, flatAmount = ZERO }: Tier, tier: OfTier): readonly TierPart[] {
  if (isZero(quantity)) return [];
  const units = { quantity, unitAmount, tier };
  return isZero(flatAmount)
    ? [units]
    : [units, { quantity: ONE, unitAmount: flatAmount, tier: { ...tier, flat: true } }];
}

/** The tiers with their limits, as far as some units reach: the last of them is the tier of the total. */
function reached(units: Decimal, tiers: readonly Tier[]): readonly { readonly tier: Tier; readonly over: Decimal }[] {
  const all = tiers.map((tier, place) => ({ tier, over: tiers[place - 1]?.upTo ?? ZERO }));
  return all.filter(({ over }) => isMoreDecimal(units, over));
}

function partsByTiers(units: Decimal, tiers: readonly Tier[], mode: TierMode): readonly TierPart[] {
  if (mode === "package") {
    const [tier] = tiers;
    if (!tier?.upTo) return [];
    return partsOfTier(begunOf(units, tier.upTo), tier, { number: 1, mode, over: ZERO, upTo: tier.upTo });
  }
  const of = reached(units, tiers);
  const ofTier = (quantity: Decimal, place: number): readonly TierPart[] => {
    const one = of[place];
    if (!one) return [];
    return partsOfTier(quantity, one.tier, { number: place + 1, mode, over: one.over, upTo: one.tier.upTo });
  };
  if (mode === "volume") return ofTier(units, of.length - 1);
  return of.flatMap(({ tier, over }, place) => ofTier(lessDecimal(smaller(units, tier.upTo), over), place));
}

/**
 * What a quantity costs, as parts: the units that are included, at nothing, then those of each tier and its flat
 * amount; without tiers the units at `unitAmount`. Of a quantity of zero, nothing.
 */
export function partsOf(quantity: Decimal, unitAmount: Decimal, tiering: Tiering = {}): readonly TierPart[] {
  const { tiers, tierMode = "graduated", includedUnits = ZERO } = tiering;
  if (isZero(quantity)) return [];
  if (!tiers && isZero(includedUnits)) return [{ quantity, unitAmount }];
  const included = smaller(quantity, includedUnits);
  const units = lessDecimal(quantity, includedUnits);
  const free: OfTier = { number: 0, mode: tiers ? tierMode : null, over: ZERO, upTo: includedUnits };
  return [
    ...(isZero(included) ? [] : [{ quantity: included, unitAmount: ZERO, tier: free }]),
    ...(tiers ? partsByTiers(units, tiers, tierMode) : isZero(units) ? [] : [{ quantity: units, unitAmount }]),
  ];
}

const FULL: DaysDue = { billed: 1, of: 1 };

/**
 * The parts of a price, and one more for what they are short of its minimum: that of a full period, or its share of
 * some days, rounded once. Each part counts as it is rounded on a line, so that the lines together are the minimum.
 */
export function withMinimum(
  parts: readonly TierPart[],
  { minimumAmount: amount = ZERO }: Tiering = {},
  unit: Unit,
  days: DaysDue = FULL,
): readonly TierPart[] {
  const { billed, of } = days;
  const least = roundFraction(BigInt(lineAmount(ONE, amount, unit)) * BigInt(billed), BigInt(of), unit);
  const cost = sum(parts.map(({ quantity, unitAmount }) => lineAmount(quantity, unitAmount, unit)));
  const short = subtract(least, cost);
  if (short <= 0) return parts;
  const minimum = { amount, ...(billed === of ? {} : { days }) };
  return [...parts, { quantity: ONE, unitAmount: decimalOf(toDecimalText(short)), minimum }];
}

/** A tier in words, such as `tier 2, over 100 up to 500`. */
export function nameOfTier({ number, mode, over, upTo, flat }: OfTier): string {
  if (number === 0) return "included";
  const units = [
    ...(mode === "package" ? [`packages of ${upTo}`] : []),
    ...(mode !== "package" && over !== ZERO ? [`over ${over}`] : []),
    ...(mode !== "package" && upTo !== null ? [`up to ${upTo}`] : []),
  ].join(" ");
  const all = mode === "volume" && !flat ? " for all units" : "";
  return `tier ${number}${all}${units && `, ${units}`}${flat ? ", flat amount" : ""}`;
}

/** Why tiers cannot be, and where; null when they can. */
function problemOfTiers(
  tiers: readonly Tier[],
  mode: TierMode,
): { readonly path: readonly (string | number)[]; readonly message: string } | null {
  const last = tiers.length - 1;
  if (mode === "package") {
    if (last !== 0) return { path: ["tiers"], message: "A package has exactly one tier: its size and its price." };
    if (!tiers[0]?.upTo)
      return { path: ["tiers", 0, "upTo"], message: "must be the number of units in a package, above 0" };
    return null;
  }
  for (const [place, { upTo }] of tiers.entries()) {
    const path = ["tiers", place, "upTo"];
    if (place === last) return upTo === null ? null : { path, message: "must be null: the last tier has no end" };
    if (upTo === null) return { path, message: "must be a number: only the last tier has no end" };
    const before = tiers[place - 1]?.upTo ?? ZERO;
    if (!isMoreDecimal(upTo, before)) return { path, message: `must be greater than ${before}, where the tier begins` };
  }
  return { path: ["tiers"], message: "must have at least one tier" };
}

/** What a body says of tiers: left out, it stays; `tiers` null removes them. */
export interface AskedTiering {
  readonly tiers?: readonly Tier[] | null | undefined;
  readonly tierMode?: TierMode | null | undefined;
  readonly includedUnits?: Decimal | null | undefined;
  readonly minimumAmount?: Decimal | null | undefined;
}

/**
 * The tiers of a body, and of what it leaves out those that are known; empty: a plain price. Throws 400 at `path` for
 * tiers that do not fit their mode, and for a mode without tiers.
 */
export function tieringAsked(
  asked: AskedTiering,
  known: Tiering | undefined,
  path: readonly (string | number)[],
): { readonly tiering?: Tiering } {
  const tiers = asked.tiers === undefined ? known?.tiers : (asked.tiers ?? undefined);
  if (!tiers && asked.tierMode) throw invalidField([...path, "tierMode"], "needs tiers: send tiers too");
  const tierMode = asked.tierMode ?? known?.tierMode ?? "graduated";
  const problem = tiers ? problemOfTiers(tiers, tierMode) : null;
  if (problem) throw invalidField([...path, ...problem.path], problem.message);
  const includedUnits = asked.includedUnits ?? known?.includedUnits ?? ZERO;
  const minimumAmount = asked.minimumAmount ?? known?.minimumAmount ?? ZERO;
  const tiering = {
    ...(tiers ? { tiers, tierMode } : {}),
    ...(isZero(includedUnits) ? {} : { includedUnits }),
    ...(isZero(minimumAmount) ? {} : { minimumAmount }),
  };
  return Object.keys(tiering).length === 0 ? {} : { tiering };
}

/** The fields of a price with tiers, included units or a minimum; none of any other (interface 16.23). */
export const tieringFields = ({ tiers, tierMode, includedUnits, minimumAmount }: Tiering = {}) => ({
  ...(tiers && {
    tiers: tiers.map(({ upTo, unitAmount, flatAmount = ZERO }) => ({
      upTo: upTo === null ? null : Number(upTo),
      unitAmount: Number(unitAmount),
      flatAmount: Number(flatAmount),
    })),
    tierMode,
  }),
  ...(includedUnits && { includedUnits: Number(includedUnits) }),
  ...(minimumAmount && { minimumAmount: Number(minimumAmount) }),
});
