import type { GatewayCall } from "../contract.ts";

/** The outcome of a payment or a refund. */
export type Result = "complete" | "pending" | "cancelled" | "timeout" | "chargeback" | "failed";

/**
 * Peach's result codes; the first pattern that matches counts. Whole codes are matched, since codes with the same
 * beginning have other meanings.
 */
const RESULTS: readonly (readonly [RegExp, Result])[] = [
  [/^000\.100\.2\d\d$/, "chargeback"],
  [/^000\.(?:000|3\d\d|6\d\d)\.\d{3}$/, "complete"],
  [/^000\.100\.1\d\d$/, "complete"],
  // Accepted, and marked for review by the merchant.
  [/^000\.400\.0[0-24-9]\d$/, "complete"],
  [/^000\.400\.1[012]0$/, "complete"],
  [/^000\.200\.\d{3}$/, "pending"],
  [/^800\.400\.5\d\d$/, "pending"],
  [/^100\.400\.500$/, "pending"],
  // Uncertain: it may still become complete.
  [/^100\.396\.104$/, "pending"],
  [/^100\.396\.101$/, "cancelled"],
  [/^900\.100\.3\d\d$/, "timeout"],
];

/** The outcome of a code. An unknown code is a failure. */
export const resultOf = (code: string): Result => RESULTS.find(([pattern]) => pattern.test(code))?.[1] ?? "failed";

/** Peach has processed it in a test mode of the entity: no money has moved. */
const IN_TEST_MODE = /^000\.100\.11[0-2]$/;

/** Whether a live account's payment was processed in a test mode; at a base URL that replaces Peach's hosts every payment counts. */
export const isTestResult = ({ mode, baseUrl }: Pick<GatewayCall, "mode" | "baseUrl">, code: string): boolean =>
  mode === "live" && baseUrl === null && IN_TEST_MODE.test(code);

/** Codes after which the card will never pay: it is stolen, lost, closed, expired or invalid, or Peach does not store it any more. */
const HARD = /^(?:100\.150\.\d{3}|100\.100\.(?:303|700)|800\.100\.(?:151|159|165|168|171|172))$/;

/** Whether the same card will never pay. */
export const isHardDecline = (code: string): boolean => HARD.test(code);
