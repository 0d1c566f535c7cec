import { truncate } from "../../kernel/text.ts";
import { addSeconds, DAY_SECONDS, type Instant } from "../../kernel/time.ts";
import type { EftAction } from "./states.ts";
import type { EftOrder, EftStatus, ProofType } from "./types.ts";

/** How many days an order stays open when its creator gives no expiry (interface 4.9). */
export const EXPIRY_DAYS = 7;
/** Proofs of an order, at most (interface 8). */
export const PROOFS_MAX = 10;
/** Bytes of one proof, at most (interface 8). */
export const PROOF_BYTES_MAX = 10 * 1024 * 1024;
const FILE_NAME_MAX = 200;

/** When the payer is reminded: 48 hours before expiry (interface 3.10); null when the order is less than a day old then. */
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

/** The message of a refused action. */
export const refusalMessage = (status: EftStatus, action: EftAction): string =>
  `This EFT order ${STATUS_IN_WORDS[status]}, so it ${REFUSED_ACTION[action]}.`;

const EXTENSIONS: Readonly<Record<ProofType, string>> = {
  "application/pdf": "pdf",
  "image/png": "png",
  "image/jpeg": "jpg",
};

/** The uploaded file name without folders, control characters and characters that change the direction of text; at most 200 characters. */
export function proofFileName(given: string, type: ProofType): string {
  const last = given.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const plain = last.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/gu, "").trim();
  return truncate(plain, FILE_NAME_MAX).trim() || `proof.${EXTENSIONS[type]}`;
}

/** The file name of a proof that staff download. It contains nothing of the uploaded name, which could be misleading. */
export const proofDownloadName = (reference: string, place: number, type: ProofType): string =>
  `${reference}-proof-${place}.${EXTENSIONS[type]}`;
