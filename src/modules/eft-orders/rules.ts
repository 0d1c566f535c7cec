import { truncate } from "../../kernel/text.ts";
import { addSeconds, DAY_SECONDS, type Instant } from "../../kernel/time.ts";
import type { ProofType } from "../../platform/files.ts";
import type { EftAction } from "./states.ts";
import type { EftOrder, EftStatus } from "./types.ts";

/** Interface 4.9: an order is open for 7 days unless its maker says otherwise. */
export const EXPIRY_DAYS = 7;
/** Interface 8. */
export const PROOFS_MAX = 10;
/** Interface 8: bytes of one proof. */
export const PROOF_BYTES_MAX = 10 * 1024 * 1024;
const FILE_NAME_MAX = 200;

/** When the payer is reminded (interface 3.10): 48 hours before expiry; null when the order is then less than a day old. */
export function reminderAt({ createdAt, expiresAt }: Pick<EftOrder, "createdAt" | "expiresAt">): Instant | null {
  const at = addSeconds(expiresAt, -2 * DAY_SECONDS);
  return at >= addSeconds(createdAt, DAY_SECONDS) ? at : null;
}

const REFUSED_ACTION: Readonly<Record<EftAction, string>> = {
  upload: "takes no more proofs",
  approve: "cannot be approved",
  reject: "cannot be rejected",
  expire: "does not expire",
  cancel: "cannot be cancelled",
};
const STATUS_IN_WORDS: Readonly<Record<EftStatus, string>> = {
  awaiting_payment: "waits for its payment",
  awaiting_review: "is in review",
  rejected: "was rejected and waits for another proof",
  paid: "is paid",
  expired: "has expired",
  cancelled: "was cancelled",
};

/** Why the move is refused, as a sentence. */
export const refusalMessage = (status: EftStatus, action: EftAction): string =>
  `This EFT order ${STATUS_IN_WORDS[status]}, so it ${REFUSED_ACTION[action]}.`;

const EXTENSIONS: Readonly<Record<ProofType, string>> = {
  "application/pdf": "pdf",
  "image/png": "png",
  "image/jpeg": "jpg",
};

/** The uploader's name for the file, without folders and what does not print or turns the writing around; at most 200 characters. */
export function proofFileName(given: string, type: ProofType): string {
  const last = given.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const plain = last.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/gu, "").trim();
  return truncate(plain, FILE_NAME_MAX).trim() || `proof.${EXTENSIONS[type]}`;
}

/** What a proof is called when staff keep it: nothing of the uploader's name, which could pass it off as something else. */
export const proofDownloadName = (reference: string, place: number, type: ProofType): string =>
  `${reference}-proof-${place}.${EXTENSIONS[type]}`;
