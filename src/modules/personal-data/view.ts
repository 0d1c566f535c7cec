import { toTimestamp } from "../../kernel/time.ts";
import { WHY } from "./rules.ts";
import type { Erasure } from "./types.ts";

/** Interface 18.7, erasure. */
export const erasureView = ({ customerId, erasedAt, erased, kept, keptUntil, keptErasedAt }: Erasure) => ({
  object: "erasure" as const,
  customerId,
  erasedAt: toTimestamp(erasedAt),
  erased,
  kept:
    keptUntil === null || keptErasedAt !== null
      ? []
      : kept.map(({ what, count }) => ({ what, count, until: keptUntil, why: WHY[what] })),
  elsewhere:
    "Answers that are kept for repeated requests are gone within two days, backups with their age. " +
    "What a payment gateway or your own systems hold is erased there.",
});
