import { leftOf, sumOf } from "./money.ts";

/** What the status of a payment depends on. */
interface Payment {
  readonly status: string;
  readonly amount: number;
  readonly flags: readonly string[];
  readonly reversals?: readonly { readonly amount: number }[] | undefined;
}

/** What banks have taken back of a payment. */
export const takenBackOf = ({ reversals = [] }: Pick<Payment, "reversals">): number =>
  sumOf(reversals.map(({ amount }) => amount));

/** Statuses of disputes that are over, with what a payment is called whose money they took. */
const ENDED: Readonly<Record<string, string>> = { lost: "dispute_lost", accepted: "dispute_lost" };

/**
 * The status of a payment as people call it: one that a bank has taken back is disputed or reversed, whatever it was
 * before. `dispute` is the status of its dispute, when it is known.
 */
export function paymentStatus(payment: Payment, dispute?: string): string {
  const whole = leftOf(payment.amount, takenBackOf(payment)) <= 0;
  const isDisputed = dispute === undefined ? payment.flags.includes("disputed") : dispute !== "won";
  if (whole) return isDisputed ? (ENDED[dispute ?? ""] ?? "disputed") : "reversed";
  return dispute === "open" ? "disputed" : payment.status;
}

/** The status of a dispute, by what staff have to do. */
export function disputeStatus({
  status,
  submittedAt,
}: {
  readonly status: string;
  readonly submittedAt: string | null;
}): string {
  if (status === "accepted") return "conceded";
  if (status !== "open") return status;
  return submittedAt === null ? "needs_response" : "under_review";
}
