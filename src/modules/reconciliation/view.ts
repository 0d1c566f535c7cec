import { toRand } from "../../kernel/money.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { StatementPreview } from "../../platform/bank-statements/preview.ts";
import type { ImportedBankAccount } from "./store/accounts.ts";
import type { AwaitedPayment } from "./store/awaited.ts";
import type { Allocation, Item, MatchReason, Receipt, Rule, Run } from "./types.ts";

/** A run without its items, as lists and events show it (interface 2.14). */
export const runView = (run: Run) => ({
  object: "reconciliation_run" as const,
  id: run.id,
  source: run.source,
  account: run.account,
  status: run.status,
  startedAt: toTimestamp(run.startedAt),
  finishedAt: toTimestampOrNull(run.finishedAt),
  periodStart: run.periodStart,
  periodEnd: run.periodEnd,
  totals: {
    ...run.totals,
    amountMatched: toRand(run.totals.amountMatched),
    amountUnmatched: toRand(run.totals.amountUnmatched),
  },
  currency: run.currency,
  fileName: run.fileName,
  failure: run.failure,
  rows: run.rows,
  warnings: run.warnings,
  withdrawnAt: toTimestampOrNull(run.withdrawnAt),
  withdrawnBy: run.withdrawnBy,
});

/** Why a line is matched, for people. */
const REASONS: Readonly<Record<MatchReason, string>> = {
  reference: "The line names the reference, and the amount is the same",
  references: "The line names these references, and their amounts add up to it",
  parts: "Lines that name the reference add up to the payment",
  amount_and_date:
    "Amount and date are the same, and the line names the payment's customer, invoice or part of its reference",
  rule: "A rule that staff have accepted",
  statement_feed: "The gateway's statement says so",
  by_hand: "Matched by hand",
};

/** Why it is matched or ignored, for people. */
export const reasonOf = (item: Item): string | null => item.ignoredBecause ?? (item.reason && REASONS[item.reason]);

/** An item without its match (interface 2.14); `received` of one that a statement lacked, once a later line has shown its money. */
export const itemView = (item: Item, received: Receipt | undefined) => ({
  id: item.id,
  date: item.date,
  description: item.description,
  amount: toRand(item.amount),
  status: item.status,
  reference: item.reference,
  transactionReference: item.transactionReference,
  reason: reasonOf(item),
  ...(received ? { received } : {}),
});

const allocationView = ({ kind, subject, invoiceId, amount }: Allocation) => ({
  kind,
  id: subject,
  invoiceId,
  amount: toRand(amount),
});

/** An item as staff see it, with its run and its match. */
export const staffItemView = (
  item: Item,
  { account, currency, withdrawnAt }: Pick<Run, "account" | "currency" | "withdrawnAt">,
  { allocations, received }: { readonly allocations: readonly Allocation[]; readonly received: Receipt | undefined },
) => ({
  object: "reconciliation_item" as const,
  ...itemView(item, received),
  runId: item.runId,
  account,
  currency,
  ...(withdrawnAt === null ? {} : { withdrawn: true as const }),
  matchedBy: item.matchedBy,
  matchedAt: toTimestampOrNull(item.matchedAt),
  allocations: allocations.filter(({ itemId }) => itemId === item.id).map(allocationView),
});

/** A rule (interface 14.5). */
export const ruleView = (rule: Rule) => ({
  object: "reconciliation_rule" as const,
  id: rule.id,
  account: rule.account,
  fragment: rule.fragment,
  direction: rule.direction,
  kind: rule.kind,
  gatewayId: rule.subject,
  status: rule.status,
  itemId: rule.itemId,
  createdAt: toTimestamp(rule.createdAt),
});

/** A bank account whose statements were imported. */
export const bankAccountView = ({ account, mapping, gatewayAccountId, through, updatedAt }: ImportedBankAccount) => ({
  account,
  mapping,
  gatewayId: gatewayAccountId,
  through,
  updatedAt: toTimestamp(updatedAt),
});

/** A payment that no statement has shown yet. */
export const awaitedView = (payment: AwaitedPayment) => ({
  id: payment.id,
  transactionReference: payment.reference,
  type: payment.type,
  amount: toRand(payment.amount),
  currency: payment.currency,
  paidAt: toTimestamp(payment.paidAt),
  customerId: payment.customerId,
  eftOrderId: payment.eftOrderId,
});

/** How a statement would be read. */
export const previewView = ({ first, last, lines, until: _, ...preview }: StatementPreview) => ({
  object: "statement_preview" as const,
  ...preview,
  periodStart: first,
  periodEnd: last,
  lines: lines.map(({ date, description, amount, reference }) => ({
    date,
    description,
    amount: toRand(amount),
    reference,
  })),
});
