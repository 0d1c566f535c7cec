import { z } from "zod";
import { EXEMPT_HAS_NO_RATE, includedTax } from "../../domain/schema.ts";
import { decimal } from "../../kernel/decimal.ts";
import { fromRand } from "../../kernel/money.ts";
import { PAYMENT_METHODS } from "../../kernel/payment-methods.ts";
import { currency, filter, listQuery, oneOf, someOf, text, timestamp } from "../../platform/schema.ts";
import { date, dateAsked } from "../../platform/schema-dates.ts";
import { ALLOCATION_KINDS, ITEM_STATUSES, RULE_STATUSES, RUN_SOURCES, RUN_STATUSES } from "./types.ts";

/** Bytes of a statement. */
export const STATEMENT_BYTES_MAX = 20 * 1024 * 1024;

const HEADING_MAX = 200;
const heading = () => text(1, HEADING_MAX).optional();
const DESCRIPTIONS_MAX = 5;

/** The columns of a CSV statement by their contents (interface 14.5). Other fields are ignored. */
const Mapping = z.object({
  date: heading(),
  description: z
    .union([text(1, HEADING_MAX), z.array(text(1, HEADING_MAX)).min(1).max(DESCRIPTIONS_MAX)])
    .optional()
    .describe("One column, or several that are joined in this order."),
  amount: heading(),
  debit: heading(),
  credit: heading(),
  direction: heading().describe("A column that says of each amount whether it came in or went out: Cr or Dr, D or C."),
  balance: heading(),
  id: heading().describe("The bank's own id of a transaction."),
  reference: heading(),
  currency: heading(),
  dateFormat: heading(),
  unsigned: z.enum(["in", "out"]).optional().describe("What an amount without a sign is, where the file does not say."),
});

/** A mapping as JSON in a field of a form. */
const mapping = () =>
  z
    .string()
    .transform((value, context) => {
      if (value.trim() === "") return null;
      const parsed = Mapping.safeParse(jsonOf(value));
      if (parsed.success) return parsed.data;
      const [issue] = parsed.error.issues;
      const where = issue?.path.length ? ` (${issue.path.join(".")}: ${issue.message})` : "";
      context.addIssue({
        code: "custom",
        input: value,
        message: `must be JSON such as {"date": "Date", "amount": "Amount", "dateFormat": "DD/MM/YYYY"}${where}`,
      });
      return z.NEVER;
    })
    .optional();

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A text field of a form: left out and empty mean the same. */
const field = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (typeof value === "string" && value.trim() === "" ? undefined : value), schema.optional());

/** The form of `POST /reconciliation/imports` beside its file (interface 14.5). */
export const ImportForm = z.object({
  account: text(1, 100),
  mapping: mapping(),
  periodStart: field(date()),
  periodEnd: field(date()),
  currency: field(currency()),
  gatewayId: field(text(1, 100)).describe(
    "The bank transfer account that belongs to this bank account; stored with it.",
  ),
});
export type ImportFormBody = z.output<typeof ImportForm>;

/** The form of `POST /reconciliation/imports/preview` beside its file (interface 14.5). */
export const PreviewForm = z.object({ account: field(text(1, 100)), mapping: mapping() });
export type PreviewFormBody = z.output<typeof PreviewForm>;

const count = (about: string) => z.int().describe(about);

/** What became of the rows of a file. */
const rowCounts = {
  total: count(
    "Rows of the file without its headings; of other formats, transactions. The counts below add up to it, without charges.",
  ),
  lines: count("Lines of the statement."),
  above: count("Rows above the headings.").optional(),
  joined: count("Rows that hold nothing but a text, which belongs to the line before."),
  balances: count("Opening and closing balances."),
  totals: count("Sums below the lines."),
  zero: count("Rows of which no money moved."),
  pending: count("Transactions that the bank has not booked yet."),
  headings: count("Headings that come again."),
  remarks: count("Other texts."),
  charges: count("Lines that were made of a charge beside an amount, in addition."),
};
const warnings = () =>
  z
    .array(z.object({ line: z.int().nullable().describe("Of the file, from 1."), message: z.string() }))
    .describe("What staff should look at, such as a balance that does not follow from the one before.");

const date10 = () => z.string().meta({ format: "date" });

/** How a statement would be read (interface 14.5). */
export const PreviewObject = z
  .object({
    object: z.literal("statement_preview"),
    format: z.enum(["csv", "ofx", "camt053"]),
    bank: z.string().nullable(),
    columns: z.array(z.string()).describe("The names that `mapping` may use; empty unless it is CSV."),
    rows: z.array(z.array(z.string())).describe("The first rows below the headings."),
    mapping: Mapping.nullable().describe("What each column is read as, or would be by its cells."),
    problem: z.string().nullable().describe("Why it cannot be imported as it is."),
    question: z.string().nullable().describe("The field of `mapping` that would solve the problem."),
    rowCounts: z.object(rowCounts).nullable().describe("What becomes of each row; null while there is a problem."),
    warnings: warnings(),
    currency: z.string().nullable(),
    count: z.int().describe("Of all lines."),
    periodStart: date10().nullable(),
    periodEnd: date10().nullable(),
    lines: z
      .array(
        z.object({ date: date10(), description: z.string(), amount: z.number(), reference: z.string().nullable() }),
      )
      .describe("The first lines as they would be read."),
  })
  .meta({ id: "StatementPreview" });

const day = () =>
  z
    .union([z.string(), z.array(z.string()).transform((values) => values.at(-1) ?? "")])
    .pipe(dateAsked())
    .optional();

/** Query of `GET /reconciliation/runs` (interface 4.13); `q` and `startingAfter` serve the dashboard's list. */
export const RunQuery = listQuery(["rcn"], { from: day(), to: day(), source: oneOf(RUN_SOURCES) });

/** Query of `GET /reconciliation/items`. */
export const ItemQuery = listQuery(["rci"], {
  status: someOf(ITEM_STATUSES),
  runId: filter(),
  account: filter(),
  payout: oneOf(["true"]).describe("Those that are matched as payouts of gateways."),
  gatewayId: filter().describe("Those that are matched as payouts of this gateway account."),
});

/** Query of `GET /reconciliation/to-match`. */
export const ToMatchQuery = listQuery(["rci"], { account: filter() });

/** Query of `GET /reconciliation/rules`. */
export const RuleQuery = listQuery(["rcr"], { status: oneOf(RULE_STATUSES), account: filter() });

/** Query of `GET /reconciliation/awaited`. */
export const AwaitedQuery = listQuery(["txn"], {});

const AMOUNT_MAX_RAND = 100_000_000_000;

/** An amount in major units with its sign, of whole cents. */
const signed = () =>
  z
    .number("must be a JSON number in major units")
    .min(-AMOUNT_MAX_RAND)
    .max(AMOUNT_MAX_RAND)
    .refine((value) => decimal(Math.abs(value), 2) !== null, "must have at most 2 decimals")
    .refine((value) => value !== 0, "must not be 0")
    .transform(fromRand)
    .optional();

const id = () => text(1, 100);

/** The kind of a part of a line (interface 14.5). */
const Share = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("payment"), transactionReference: text(1, 140), amount: signed() }),
  z.object({ kind: z.literal("refund"), transactionReference: text(1, 140), amount: signed() }),
  z.object({ kind: z.literal("reversal"), transactionReference: text(1, 140), amount: signed() }),
  z.object({ kind: z.literal("invoice"), invoiceId: id(), amount: signed() }),
  z
    .object({
      kind: z.literal("sale"),
      customerId: id(),
      description: text(1, 1000),
      ...includedTax,
      method: z.enum(PAYMENT_METHODS).default("eft").describe("How the payer paid."),
      amount: signed().describe("Including VAT."),
    })
    .refine(EXEMPT_HAS_NO_RATE.isMet, EXEMPT_HAS_NO_RATE.told),
  z.object({ kind: z.literal("invoice_payment"), invoiceId: id(), paymentId: id(), amount: signed() }),
  z.object({ kind: z.literal("credit_refund"), creditRefundId: id(), amount: signed() }),
  z.object({ kind: z.literal("customer_credit"), customerId: id(), amount: signed() }),
  z.object({ kind: z.literal("payout"), gatewayId: id(), amount: signed() }),
  z.object({ kind: z.literal("bank_fee"), amount: signed() }),
  z.object({ kind: z.literal("own_transfer"), amount: signed() }),
]);
export type ShareBody = z.output<typeof Share>;

const SHARES_MAX = 50;

/** Body of `POST /reconciliation/items/{id}/match` (interface 14.5). */
export const MatchBody = z.object({ allocations: z.array(Share).min(1).max(SHARES_MAX) });

/** Body of `POST /reconciliation/items/{id}/ignore` (interface 14.5). */
export const IgnoreBody = z.object({ reason: text(1, 500) });

const item = {
  id: z.string(),
  date: z.string().meta({ format: "date" }),
  description: z.string(),
  amount: z.number().describe("Money received is above zero."),
  status: z.enum(ITEM_STATUSES),
  reference: z.string().nullable(),
  transactionReference: z.string().nullable(),
  reason: z.string().nullable().describe("Why it is matched or ignored, for people."),
  received: z
    .object({ itemId: z.string(), runId: z.string(), date: z.string().meta({ format: "date" }) })
    .optional()
    .describe("For an item that is not_received: the later line that shows its money; left out until there is one."),
};

/** An item of a run (interface 2.14). */
const ItemObject = z.object(item).meta({ id: "ReconciliationRunItem" });

const run = {
  object: z.literal("reconciliation_run"),
  id: z.string(),
  source: z.enum(RUN_SOURCES),
  account: z.string(),
  status: z.enum(RUN_STATUSES),
  startedAt: timestamp(),
  finishedAt: timestamp().nullable(),
  periodStart: z.string().meta({ format: "date" }),
  periodEnd: z.string().meta({ format: "date" }),
  totals: z.object({
    items: z.int(),
    matched: z.int(),
    unmatched: z.int(),
    notReceived: z.int(),
    amountMatched: z.number(),
    amountUnmatched: z.number(),
  }),
  currency: z.string(),
  fileName: z.string().nullable(),
  failure: z.string().nullable(),
  rows: z
    .object({ ...rowCounts, duplicates: count("Lines that were imported before, which `lines` leaves out.") })
    .nullish()
    .describe("What became of each row of the file."),
  warnings: warnings().optional(),
  withdrawnAt: timestamp().nullish(),
  withdrawnBy: z.string().nullish(),
};

/** A run in a list and in its event (interface 2.14). */
export const RunSummary = z.object(run).meta({ id: "ReconciliationRunSummary" });

/** A run with its items (interface 2.14). */
export const RunObject = z.object({ ...run, items: z.array(ItemObject) }).meta({ id: "ReconciliationRun" });

/** An item as staff see it (interface 14.5). */
export const StaffItemObject = z
  .object({
    object: z.literal("reconciliation_item"),
    ...item,
    runId: z.string(),
    account: z.string(),
    currency: z.string(),
    withdrawn: z.literal(true).optional().describe("That the statement was withdrawn; left out unless it was."),
    matchedBy: z.string().nullable().describe("Who matched or ignored it by hand; null for the service."),
    matchedAt: timestamp().nullable(),
    allocations: z.array(
      z.object({
        kind: z.enum(ALLOCATION_KINDS),
        id: z.string().nullable(),
        invoiceId: z.string().nullable().describe("The invoice whose payment the match has recorded."),
        amount: z.number(),
      }),
    ),
  })
  .meta({ id: "ReconciliationItem" });

/** A candidate for the match of a line (interface 14.5). */
export const CandidateObject = z
  .object({
    title: z.string(),
    reason: z.string(),
    date: z.string().nullable(),
    amount: z.number(),
    customerId: z.string().nullable(),
    eftOrderId: z.string().nullable().describe("A bank transfer that staff have to approve first."),
    allocations: z
      .array(z.record(z.string(), z.unknown()))
      .describe("As `match` accepts them; empty when it cannot be matched yet."),
    exact: z.boolean().describe("The line names it, the amounts are the same, and no other candidate is like that."),
  })
  .meta({ id: "ReconciliationCandidate" });

/** An unmatched line with its best candidates, as staff match one line after the other (interface 14.5). */
export const ToMatchObject = StaffItemObject.extend({
  suggestions: z.array(CandidateObject).max(9).describe("The best candidates, the most probable first."),
}).meta({ id: "ReconciliationToMatch" });

/** What is left to match in one currency. */
export const LeftToMatch = z.object({
  currency: z.string(),
  lines: z.int(),
  received: z.number().describe("The sum of lines of money received."),
  paid: z.number().describe("The sum of lines of money paid, above zero."),
});

/** A rule (interface 14.5). */
export const RuleObject = z
  .object({
    object: z.literal("reconciliation_rule"),
    id: z.string(),
    account: z.string(),
    fragment: z.string(),
    direction: z.enum(["in", "out"]),
    kind: z.enum(["payout", "bank_fee", "own_transfer"]),
    gatewayId: z.string().nullable(),
    status: z.enum(RULE_STATUSES),
    itemId: z.string(),
    createdAt: timestamp(),
  })
  .meta({ id: "ReconciliationRule" });

/** A bank account whose statements were imported. */
export const BankAccountObject = z
  .object({
    account: z.string(),
    mapping: z.record(z.string(), z.union([z.string(), z.array(z.string())])).nullable(),
    gatewayId: z.string().nullable(),
    through: z.string().nullable(),
    updatedAt: timestamp(),
  })
  .meta({ id: "ReconciliationAccount" });

/** A payment that no statement has shown yet. */
export const AwaitedObject = z
  .object({
    id: z.string(),
    transactionReference: z.string(),
    type: z.enum(["eft", "debit_order"]),
    amount: z.number(),
    currency: z.string(),
    paidAt: timestamp(),
    customerId: z.string().nullable(),
    eftOrderId: z.string().nullable(),
  })
  .meta({ id: "AwaitedPayment" });
