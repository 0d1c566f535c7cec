import type { CustomerId, GatewayAccountId, InvoiceId } from "../../kernel/ids.ts";
import { type Cents, cents } from "../../kernel/money.ts";
import { bankMatchPostings } from "../../modules/books/rules.ts";
import { postEntries } from "../../modules/books/store.ts";
import { insertAllocations, type MatchedItem } from "../../modules/reconciliation/store/runs.ts";
import type {
  Allocation,
  AllocationKind,
  Item,
  ItemId,
  MatchReason,
  PaymentFacts,
  ReturnFacts,
  Run,
} from "../../modules/reconciliation/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { isManualTransfer } from "../gateways/accounts.ts";

/** A part of a line's amount before it is recorded: its kind, and the ledger account that holds its money. */
export interface Share {
  readonly kind: AllocationKind;
  readonly subject: string | null;
  /** In cents, with the sign of the part. */
  readonly amount: Cents;
  readonly from: Parameters<typeof bankMatchPostings>[1];
  readonly customerId?: CustomerId;
  readonly gatewayAccountId?: GatewayAccountId;
  readonly recorded?: boolean;
  /** Whether the match makes the invoice as well. */
  readonly invoiced?: boolean;
  /** The invoice of the payment that the match records. */
  readonly invoiceId?: InvoiceId;
}

/** A match of one line before it is recorded. */
export interface NewMatch {
  readonly item: Pick<Item, "id" | "description">;
  readonly reason: MatchReason;
  readonly transactionReference: string | null;
  readonly matchedBy: string | null;
  readonly shares: readonly Share[];
}

/**
 * The share of a payment (decisions.md#bank-money-is-moved-by-the-statement): the ledger account of the bank holds the
 * money of bank transfers, that of the gateway all other money.
 */
export const paymentShare = (payment: PaymentFacts, amount: Cents): Share => ({
  kind: "payment",
  subject: payment.id,
  amount,
  ...(isManualTransfer(payment.gatewayType)
    ? { from: "bank" as const }
    : { from: "gateway_clearing" as const, gatewayAccountId: payment.gatewayAccountId }),
});

/** The share of returned money, below zero: refunds that staff paid manually left the bank, all others the gateway. */
export const returnShare = ({ kind, id, manual, payment }: ReturnFacts, amount: Cents): Share => ({
  kind,
  subject: id,
  amount: cents(-amount),
  ...(manual
    ? { from: "bank" as const }
    : { from: "gateway_clearing" as const, gatewayAccountId: payment.gatewayAccountId }),
});

const FROM = { bank_fee: "bank_charges", own_transfer: "own_transfers", payout: "gateway_clearing" } as const;

/**
 * The share of a line that is no payment: a bank fee, a transfer between own accounts, or a payout of a gateway
 * account.
 */
export const plainShare = (
  kind: keyof typeof FROM,
  gatewayAccountId: GatewayAccountId | null,
  amount: Cents,
): Share => ({
  kind,
  subject: gatewayAccountId,
  amount,
  from: FROM[kind],
  ...(gatewayAccountId ? { gatewayAccountId } : {}),
});

/** The ids of matches, before their items are inserted. */
export const matchedItem = (ctx: Pick<Ctx, "now">, match: NewMatch): MatchedItem => ({
  id: match.item.id,
  matchId: newId("rcm"),
  reason: match.reason,
  transactionReference: match.transactionReference,
  matchedBy: match.matchedBy,
  matchedAt: ctx.now,
});

/**
 * Records matches with their entries in the books, in the transaction that marks their items: each part of a line is
 * posted from its present ledger account to `bank_reconciled`. A match in a gateway's own statement (`statement_feed`)
 * has no entry: the money is still at the gateway. Entries have the time of the match
 * (decisions.md#matches-are-dated-at-the-match). The caller holds `lockReconciliation`, and has locked the balance of
 * each customer whose credit changes.
 */
export function recordMatches(
  tx: Tx,
  ctx: Pick<Ctx, "now">,
  run: Pick<Run, "source" | "currency">,
  matches: readonly { readonly match: NewMatch; readonly as: MatchedItem }[],
): void {
  const posted = run.source === "csv_upload";
  const made = matches.flatMap(({ match, as }) =>
    match.shares.map((share, place) => ({ share, allocation: allocationOf(share, { as, place, posted }), match })),
  );
  insertAllocations(
    tx,
    made.map(({ allocation }) => allocation),
  );
  if (!posted) return;
  postEntries(
    tx,
    made.map(({ share, allocation, match }) => ({
      kind: "bank_match" as const,
      subject: entrySubject(allocation),
      occurredAt: ctx.now,
      description: `Bank statement: ${match.item.description}`,
      currency: run.currency,
      ...(share.gatewayAccountId ? { gatewayAccountId: share.gatewayAccountId } : {}),
      postings: bankMatchPostings(share.amount, share.from, share.customerId ?? null),
    })),
  );
}

/** The subject of an allocation's entry. */
export const entrySubject = ({ matchId, place }: Pick<Allocation, "matchId" | "place">): string =>
  `${matchId}:${place}`;

const allocationOf = (
  share: Share,
  { as, place, posted }: { readonly as: MatchedItem; readonly place: number; readonly posted: boolean },
): Allocation => ({
  matchId: as.matchId as Allocation["matchId"],
  place,
  itemId: as.id as ItemId,
  kind: share.kind,
  subject: share.subject,
  amount: share.amount,
  posted,
  recorded: share.recorded ?? false,
  invoiced: share.invoiced ?? false,
  invoiceId: share.invoiceId ?? null,
  undoneAt: null,
});
