import type { DisputeStatus } from "./types.ts";

/** Files of a dispute, at most. */
export const EVIDENCE_MAX = 10;

/**
 * The codes with which a collected debit comes back because its payer disputes it at the bank: no authority, against
 * the rules, authority cancelled, stopped before; and the words of gateways for disputes without a code.
 */
const DISPUTE_CODES: ReadonlySet<string> = new Set(["30", "32", "34", "36", "PND", "DCD", "disputed"]);

/** Whether a debit that comes back with this code is disputed. Nothing can be answered: it is lost at once. */
export const isDisputeCode = (code: string | null): boolean => code !== null && DISPUTE_CODES.has(code);

const IN_WORDS: Readonly<Record<DisputeStatus, string>> = {
  open: "is open",
  won: "was won",
  lost: "was lost",
  accepted: "was accepted",
};

/** Why nothing can be done about a dispute with this status any more; null for an open one. */
export const refusalMessage = (status: DisputeStatus): string | null =>
  status === "open" ? null : `This dispute ${IN_WORDS[status]}: it takes no more evidence.`;
