import type { TransactionId } from "../../kernel/ids.ts";
import { type Cents, cents } from "../../kernel/money.ts";
import {
  decideByReference,
  decideParts,
  type Line,
  namesPayment,
  type Pair,
  type PartLine,
  referencesIn,
  ruleFor,
  uniquePairs,
} from "../../modules/reconciliation/rules.ts";
import { acceptedRules } from "../../modules/reconciliation/store/accounts.ts";
import { paymentsAround, paymentsByReferences, returnsOf } from "../../modules/reconciliation/store/candidates.ts";
import { insertItems, markMatched, unmatchedAfter } from "../../modules/reconciliation/store/runs.ts";
import type {
  Item,
  ItemId,
  NewItem,
  PaymentFacts,
  ReturnFacts,
  Rule,
  Run,
} from "../../modules/reconciliation/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { type Recognition, recognised } from "./known-lines.ts";
import { matchedItem, type NewMatch, paymentShare, plainShare, recordMatches, returnShare } from "./record-matches.ts";

/**
 * The number of lines that are inserted and matched at once: more would be faster, and need more memory than a process
 * has.
 */
export const LINES_TOGETHER = 300;
/** The number of lines for which payments of their amount are searched at once: each may have `CANDIDATES_MAX`. */
const SOUGHT_TOGETHER = 200;

/** The state of a run while its lines are read. */
export interface Matching {
  readonly tx: Tx;
  readonly ctx: Ctx;
  readonly run: Run;
  readonly known: Recognition;
  /** The open amounts of payments and returns that were matched in this run, in cents. */
  readonly left: Map<string, Cents>;
  /** Lines whose amount is less than the one payment that they name. */
  readonly parts: (PartLine & { readonly item: Item })[];
  /** Lines that name payments with other amounts: staff decide about these. */
  readonly unclear: Set<ItemId>;
}

/** Begins the matching of a run. */
export const beginMatching = (tx: Tx, ctx: Ctx, run: Run, known: Recognition): Matching => ({
  tx,
  ctx,
  run,
  known,
  left: new Map(),
  parts: [],
  unclear: new Set(),
});

/**
 * Inserts the next lines of a statement, at most `LINES_TOGETHER`: lines that were imported earlier as duplicates, the
 * others as their references decide.
 */
export async function takeLines(matching: Matching, lines: readonly Line[]): Promise<void> {
  const { tx, ctx, run } = matching;
  const items = await recognised(matching.known, lines);
  const named = new Map(
    items.flatMap((item) => (item.status === "duplicate" ? [] : [[item.id, referencesIn(item)] as const])),
  );
  const payments = await paymentsByReferences(tx, [...new Set([...named.values()].flat())], run.currency);
  const paying = new Map(
    [...named].map(([id, references]) => [id, [...new Set(references.flatMap((one) => payments.get(one) ?? []))]]),
  );
  const out = items.filter(({ amount }) => amount < 0).flatMap(({ id }) => paying.get(id) ?? []);
  const returns = Map.groupBy(await returnsOf(tx, [...new Set(out)]), ({ payment }) => payment.id);
  const matches = items.flatMap((item) => {
    const match = item.status === "duplicate" ? null : byReference(matching, item, paying.get(item.id) ?? [], returns);
    return match ? [{ match, as: matchedItem(ctx, match) }] : [];
  });
  const matched = new Map(matches.map(({ as }) => [as.id, as]));
  insertItems(
    tx,
    items.map((item) => ({
      ...item,
      ...(matched.has(item.id) ? { ...matched.get(item.id), status: "matched" as const } : {}),
    })),
  );
  recordMatches(tx, ctx, run, matches);
}

function byReference(
  { left, parts, unclear }: Matching,
  item: NewItem,
  named: readonly PaymentFacts[],
  returns: ReadonlyMap<TransactionId, readonly ReturnFacts[]>,
): NewMatch | null {
  const open = <T extends { readonly id: string; readonly open: Cents }>(one: T): T => ({
    ...one,
    open: left.get(one.id) ?? one.open,
  });
  const payments = named.map(open);
  const back = named.flatMap(({ id }) => returns.get(id) ?? []).map(open);
  const decision = decideByReference(item.amount, payments, back);
  const [only, other] = payments;
  if (!decision && only && !other && item.amount > 0 && item.amount < only.open)
    parts.push({ itemId: item.id, amount: item.amount, payment: only, item });
  if (!decision) {
    if (only) unclear.add(item.id);
    return null;
  }
  const common = { item, reason: decision.reason, matchedBy: null };
  if ("returned" in decision) {
    const { returned } = decision;
    left.set(returned.id, cents(0));
    return {
      ...common,
      transactionReference: returned.payment.reference,
      shares: [returnShare(returned, returned.open)],
    };
  }
  for (const payment of decision.payments) left.set(payment.id, cents(0));
  const [first] = decision.payments;
  return {
    ...common,
    transactionReference: first?.reference ?? null,
    shares: decision.payments.map((payment) => paymentShare(payment, payment.open)),
  };
}

/**
 * Matches what only the whole statement shows: lines that together make one payment; lines with a payment of their
 * amount and days, when no other such pair exists; and lines with a rule that staff have accepted.
 */
export async function matchWhole(matching: Matching): Promise<void> {
  const { tx, run, left, parts, unclear } = matching;
  const items = new Map(parts.map(({ item }) => [item.id, item]));
  const unchanged = parts.filter(({ payment }) => !left.has(payment.id));
  recordInParts(
    matching,
    decideParts(unchanged).flatMap((together) => together.map((part) => partMatch(part, items.get(part.itemId)))),
  );
  const pairs: Pair[] = [];
  const byId = new Map<ItemId, Item>();
  const rules = run.source === "csv_upload" ? await acceptedRules(tx, run.account) : [];
  for (let place = -1; ; ) {
    const page = await unmatchedAfter(tx, run.id, place, SOUGHT_TOGETHER);
    const last = page.at(-1);
    if (!last) break;
    place = last.place;
    const free = page.filter(({ id }) => !unclear.has(id));
    const incoming = free.filter(({ amount }) => amount > 0);
    const around = await paymentsAround(tx, incoming, run.currency);
    const ruled: Item[] = [];
    for (const item of free) {
      const fitting = (around.get(item.id) ?? []).filter((payment) => namesPayment(item, payment));
      for (const payment of fitting) pairs.push({ itemId: item.id, payment });
      if (fitting.length > 0) byId.set(item.id, item);
      else if (ruleFor(item, rules)) ruled.push(item);
    }
    record(
      matching,
      ruled.flatMap((item) => ruleMatch(item, ruleFor(item, rules))),
    );
  }
  const unique = uniquePairs(pairs);
  recordInParts(
    matching,
    unique.flatMap((pair) => pairMatch(pair, byId.get(pair.itemId))),
  );
}

function partMatch({ payment, amount }: PartLine, item: Item | undefined): NewMatch {
  if (!item) throw new Error("a part is a line of the statement");
  const shares = [paymentShare(payment, amount)];
  return { item, reason: "parts", transactionReference: payment.reference, matchedBy: null, shares };
}

const pairMatch = ({ payment }: Pair, item: Item | undefined): NewMatch[] =>
  item
    ? [
        {
          item,
          reason: "amount_and_date",
          transactionReference: payment.reference,
          matchedBy: null,
          shares: [paymentShare(payment, item.amount)],
        },
      ]
    : [];

const ruleMatch = (item: Item, rule: Rule | null): NewMatch[] =>
  rule
    ? [
        {
          item,
          reason: "rule",
          transactionReference: null,
          matchedBy: null,
          shares: [plainShare(rule.kind, rule.subject, item.amount)],
        },
      ]
    : [];

function recordInParts(matching: Matching, matches: readonly NewMatch[]): void {
  for (let at = 0; at < matches.length; at += LINES_TOGETHER) record(matching, matches.slice(at, at + LINES_TOGETHER));
}

function record({ tx, ctx, run }: Matching, matches: readonly NewMatch[]): void {
  const made = matches.map((match) => ({ match, as: matchedItem(ctx, match) }));
  markMatched(
    tx,
    made.map(({ as }) => as),
  );
  recordMatches(tx, ctx, run, made);
}
