import { z } from "zod";
import { text } from "../../platform/schema.ts";

const STATUSES = ["pending", "complete", "failed", "cancelled", "disputed", "won", "lost"] as const;
const TIMES_MAX = 50;

/** Body of `POST /sandbox/notify` (interface 13.6). */
export const SandboxNotify = z.object({
  reference: text(1, 190),
  status: z.enum(STATUSES, `must be one of ${STATUSES.join(", ")}`),
  times: z
    .int("must be a whole number")
    .min(1, "must be at least 1")
    .max(TIMES_MAX, `must be at most ${TIMES_MAX}`)
    .default(1),
});
export type SandboxNotifyBody = z.output<typeof SandboxNotify>;

/** What was sent, and the HTTP status of each answer; 0 for no answer. */
export const SandboxNotified = z
  .object({ reference: z.string(), status: z.enum(STATUSES), answers: z.array(z.int()) })
  .meta({ id: "SandboxNotified" });
