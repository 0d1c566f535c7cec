import { unitOf } from "../kernel/currency.ts";
import { type Part, part } from "./database.ts";

/** The currencies without decimals. */
const WITHOUT_DECIMALS = Intl.supportedValuesOf("currency").filter((currency) => unitOf(currency) === 100);

/** The smallest amount in a currency, in cents, as `unitOf` (currency.ts) has it: 100 where it has no decimals, else 1. */
export const unitIn = (currency: Part): Part =>
  part`case when ${currency} = any(${WITHOUT_DECIMALS}::text[]) then 100 else 1 end`;

/**
 * A numeric in cents, rounded once to the unit of a currency, half of it away from zero (interface 16.1), to be
 * compared with stored amounts: to cents when these have cents, which they have when they were made before amounts were
 * rounded to the currency's unit.
 */
export const roundedLike = (currency: Part, value: Part, amounts: Part): Part =>
  part`round(${value}, case when ${unitIn(currency)} = 100
             and 0 = all(select v % 100 from unnest(array[${amounts}]) as v) then -2 else 0 end)`;
