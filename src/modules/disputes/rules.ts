import { DEBIT_RETURNS } from "../../kernel/debit-returns.ts";
import type { DisputeStatus } from "./types.ts";

/** Files of a dispute, at most. */
export const EVIDENCE_MAX = 10;

/** The words of gateways for a disputed debit without a bank's code. */
const DISPUTE_WORDS: ReadonlySet<string> = new Set(["PND", "DCD", "disputed"]);

/** Whether a debit that comes back with this code is disputed. Nothing can be answered: it is lost at once. */
export const isDisputeCode = (code: string | null): boolean =>
  code !== null && (DISPUTE_WORDS.has(code) || DEBIT_RETURNS[code]?.disputed === true);

const IN_WORDS: Readonly<Record<DisputeStatus, string>> = {
  open: "is open",
  won: "was won",
  lost: "was lost",
  accepted: "was accepted",
};

/** Why nothing can be done about a dispute with this status any more; null for an open one. */
export const refusalMessage = (status: DisputeStatus): string | null =>
  status === "open" ? null : `This dispute ${IN_WORDS[status]}: it takes no more evidence.`;
