import { z } from "zod";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { optional, optionalNumber, pageQuery, text, timestamp, whole } from "../../platform/schema.ts";
import { SANDBOX_KINDS, SANDBOX_OUTCOMES, type SandboxStep } from "./types.ts";

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

const STEPS_MAX = 100;

const kind = z.enum(SANDBOX_KINDS, `must be one of ${SANDBOX_KINDS.join(", ")}`);
const outcome = z.enum(SANDBOX_OUTCOMES, `must be one of ${SANDBOX_OUTCOMES.join(", ")}`);

/** Body of `POST /sandbox/outcomes` (interface 13.9). */
export const SandboxSteps = z.object({
  steps: z
    .array(
      z
        .object({
          match: z.object({
            kind,
            customerId: optional(text(1, 100)),
            subscriptionId: optional(text(1, 100)),
            nth: optionalNumber(whole(1, 1000)).describe(
              "Which of the attempts that match, retries among them; else the first.",
            ),
          }),
          outcome,
          delayDays: optionalNumber(whole(0, 365)).describe("How many days later a charge or debit is settled."),
        })
        .refine(({ match, delayDays }) => match.kind !== "refund" || !delayDays, {
          path: ["delayDays"],
          message: "must be left out for a refund: one that is pending is processed when the gateway is asked again",
        }),
    )
    .min(1, "must not be empty")
    .max(STEPS_MAX, `must be at most ${STEPS_MAX} steps`),
});
export type SandboxStepsBody = z.output<typeof SandboxSteps>;

/** Query of `GET /sandbox/outcomes`. */
export const SandboxStepQuery = pageQuery(["sbo"], {});

/** Interface 13.9. */
export const SandboxStepObject = z
  .object({
    object: z.literal("sandbox_outcome"),
    id: z.string(),
    match: z.object({
      kind,
      customerId: z.string().nullable(),
      subscriptionId: z.string().nullable(),
      nth: z.int().nullable(),
    }),
    outcome,
    delayDays: z.int(),
    seen: z.int().describe("How many attempts it has matched."),
    usedBy: z.string().nullable().describe("The reference of the attempt that used it."),
    usedAt: timestamp().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "SandboxOutcome" });

/** Interface 13.9. */
export const sandboxStepView = ({ id, kind: of, customerId, subscriptionId, nth, ...step }: SandboxStep) => ({
  object: "sandbox_outcome" as const,
  id,
  match: { kind: of, customerId, subscriptionId, nth },
  outcome: step.outcome,
  delayDays: step.delayDays,
  seen: step.seen,
  usedBy: step.usedBy,
  usedAt: toTimestampOrNull(step.usedAt),
  createdAt: toTimestamp(step.createdAt),
});
