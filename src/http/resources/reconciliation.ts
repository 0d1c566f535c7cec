import { z } from "zod";
import { listExport } from "../../flows/exports/csv-export.ts";
import { awaitedNow } from "../../flows/reconciliation/awaited-now.ts";
import { ignoreItem } from "../../flows/reconciliation/ignore-line.ts";
import { importStatement } from "../../flows/reconciliation/import-statement.ts";
import {
  type ItemChange,
  type ItemWithAllocations,
  matchItem,
  readItem,
} from "../../flows/reconciliation/match-by-hand.ts";
import { previewImport } from "../../flows/reconciliation/preview-statement.ts";
import { candidatesFor, suggestionsFor } from "../../flows/reconciliation/suggestions.ts";
import { undoMatch } from "../../flows/reconciliation/undo-match.ts";
import { withdrawRun } from "../../flows/reconciliation/withdraw-run.ts";
import { withNamed } from "../../flows/search/named-by.ts";
import { notFound } from "../../kernel/errors.ts";
import { toRand } from "../../kernel/money.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import {
  AwaitedObject,
  AwaitedQuery,
  BankAccountObject,
  CandidateObject,
  IgnoreBody,
  ImportForm,
  ItemQuery,
  LeftToMatch,
  MatchBody,
  PreviewForm,
  PreviewObject,
  RuleObject,
  RuleQuery,
  RunObject,
  RunQuery,
  RunSummary,
  STATEMENT_BYTES_MAX,
  StaffItemObject,
  ToMatchObject,
  ToMatchQuery,
} from "../../modules/reconciliation/schema.ts";
import { decideRule, listBankAccounts, listRules } from "../../modules/reconciliation/store/accounts.ts";
import type { AwaitedPayment } from "../../modules/reconciliation/store/awaited.ts";
import { awaitedAfter } from "../../modules/reconciliation/store/awaited.ts";
import { receiptsOf } from "../../modules/reconciliation/store/receipts.ts";
import {
  allocationsOf,
  findRun,
  itemsAfter,
  leftToMatch,
  listItems,
  listRuns,
  runsOf,
} from "../../modules/reconciliation/store/runs.ts";
import type { Item, Rule, Run } from "../../modules/reconciliation/types.ts";
import {
  awaitedView,
  bankAccountView,
  itemView,
  previewView,
  reasonOf,
  ruleView,
  runView,
  staffItemView,
} from "../../modules/reconciliation/view.ts";
import type { Tx } from "../../platform/database.ts";
import { filter } from "../../platform/schema.ts";
import { csvEndpoint, listEndpoint, PAGING } from "../csv-export.ts";
import { endpoint, importEndpoint, ownTransactionsEndpoint, type Reply } from "../endpoint.ts";
import { listBody, listed, listOf, page, withPaymentCursor } from "../lists.ts";
import { changed } from "../replies.ts";

const common = {
  tag: { name: "Reconciliation", about: "Bank statements, and what each of their lines is matched with." },
  feature: "reconciliation",
} as const;
const params = z.object({ id: z.string() });

/** A run with its items, which are read while they are sent: a statement may have more than fit in memory. */
const runReply = (status: number, run: Run, read: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>): Reply => ({
  status,
  body: null,
  pieces: runText(run, read),
});

async function* runText(run: Run, read: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>): AsyncGenerator<Buffer> {
  yield Buffer.from(`${JSON.stringify(runView(run)).slice(0, -1)},"items":[`);
  let after = -1;
  for (let separator = ""; ; separator = ",") {
    const { items: found, shown } = await read(async (tx) => {
      const items = await itemsAfter(tx, run.id, after);
      const receipts = await receiptsOf(tx, items);
      return { items, shown: items.map((item) => itemView(item, receipts.get(item.id))) };
    });
    const last = found.at(-1);
    if (!last) break;
    yield Buffer.from(separator + JSON.stringify(shown).slice(1, -1));
    after = last.place;
  }
  yield Buffer.from("]}");
}

const staffItem = ({ item, run, ...found }: ItemWithAllocations) => staffItemView(item, run, found);
const itemChanged = ({ before, after }: ItemChange): Reply => changed(staffItem(before), staffItem(after));

/** Bank statements that were imported. */
const statementsCsv = listExport<Run, typeof RunQuery>({
  columns: {
    id: (row) => row.id,
    account: (row) => row.account,
    source: (row) => row.source,
    status: (row) => row.status,
    periodStart: (row) => row.periodStart,
    periodEnd: (row) => row.periodEnd,
    items: (row) => String(row.totals.items),
    matched: (row) => String(row.totals.matched),
    unmatched: (row) => String(row.totals.unmatched),
    notReceived: (row) => String(row.totals.notReceived),
    amountMatched: (row) => row.totals.amountMatched,
    amountUnmatched: (row) => row.totals.amountUnmatched,
    currency: (row) => row.currency,
    fileName: (row) => row.fileName,
    failure: (row) => row.failure,
    startedAt: (row) => toTimestamp(row.startedAt),
    finishedAt: (row) => toTimestampOrNull(row.finishedAt),
  },
  list: listRuns,
});

/** The endpoints of interface 4.13. */
const runs = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/reconciliation/runs",
    summary: "List reconciliation runs, newest first by their start",
    permission: "reconciliation:read",
    query: RunQuery,
    replies: { 200: listOf(RunSummary) },
    handle: (call, tx) => listed(call, (wanted) => listRuns(tx, wanted), runView),
  }),
  ownTransactionsEndpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/reconciliation/runs/{id}",
    summary: "Get a reconciliation run with its items",
    permission: "reconciliation:read",
    params,
    replies: { 200: RunObject },
    async run({ ctx, services: { db }, params: { id } }) {
      const read = <T>(work: (tx: Tx) => Promise<T>) => db.read(ctx.organisation.id, work);
      const run = await read((tx) => findRun(tx, id));
      if (!run) throw notFound("reconciliation run");
      return runReply(200, run, read);
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/reconciliation/runs/{id}/summary",
    summary: "Get a reconciliation run without its items, of which there may be many",
    permission: "reconciliation:read",
    params,
    replies: { 200: RunSummary },
    async handle({ params: { id } }, tx) {
      const run = await findRun(tx, id);
      if (!run) throw notFound("reconciliation run");
      return { status: 200, body: runView(run) };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/reconciliation/runs/{id}/withdraw",
    summary: "Withdraw an imported statement of which nothing was matched by hand, with all that it matched",
    permission: "reconciliation:write",
    idempotent: true,
    params,
    replies: { 200: RunSummary },
    async handle({ ctx, params: { id } }, tx) {
      const { before, after } = await withdrawRun(tx, ctx, id);
      return changed(runView(before), runView(after));
    },
  }),
  importEndpoint({
    ...common,
    audience: "clients",
    path: "/reconciliation/imports",
    operationId: "importBankStatement",
    summary: "Import a bank statement (CSV, OFX or CAMT.053, at most 20 MB) and match its lines",
    permission: "reconciliation:write",
    upload: { field: "file", maxBytes: STATEMENT_BYTES_MAX, form: ImportForm },
    replies: { 201: RunObject },
    async run({ ctx, services, body: { name, bytes, form } }) {
      const run = await importStatement(services, ctx, { name, bytes }, form);
      return runReply(201, run, (work) => services.db.read(ctx.organisation.id, work));
    },
  }),
  importEndpoint({
    ...common,
    audience: "clients",
    path: "/reconciliation/imports/preview",
    operationId: "previewBankStatement",
    summary: "Show how a bank statement would be read, without importing it",
    permission: "reconciliation:write",
    upload: { field: "file", maxBytes: STATEMENT_BYTES_MAX, form: PreviewForm },
    replies: { 200: PreviewObject },
    async run({ ctx, services, body: { bytes, form } }) {
      return { status: 200, body: previewView(await previewImport(services, ctx, bytes, form)) };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/reconciliation/accounts",
    summary: "List the bank accounts whose statements were imported, with the stored mapping of each",
    permission: "reconciliation:read",
    replies: { 200: z.object({ data: z.array(BankAccountObject) }) },
    handle: async (_call, tx) => ({ status: 200, body: { data: (await listBankAccounts(tx)).map(bankAccountView) } }),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/reconciliation/awaited",
    summary: "List completed bank transfers and debits whose money no statement has shown, oldest first",
    permission: "reconciliation:read",
    also: ["transactions:read"],
    query: AwaitedQuery,
    replies: { 200: listOf(AwaitedObject) },
    async handle({ query }, tx) {
      const asked = await withPaymentCursor(tx, query);
      const after = asked.startingAfter ? await awaitedAfter(tx, asked.startingAfter) : null;
      const before = asked.endingBefore ? await awaitedAfter(tx, asked.endingBefore) : null;
      const { named } = await withNamed(tx, query);
      const { items, ...paging } = await page(asked, ({ limit }) => awaitedNow(tx, { named, after, before, limit }));
      return { status: 200, body: listBody(items.map(awaitedView), paging) };
    },
  }),
  listEndpoint(
    "reconciliation-runs",
    "Bank statements",
    "reconciliation:read",
    RunQuery.omit(PAGING),
    statementsCsv,
    "reconciliation",
  ),
];

/** A line with the bank account and currency of its statement. */
type LineRow = Item & Pick<Run, "account" | "currency">;

/** Lines of bank statements. */
const bankLinesCsv = listExport<LineRow, typeof ItemQuery>({
  columns: {
    id: (row) => row.id,
    runId: (row) => row.runId,
    account: (row) => row.account,
    date: (row) => row.date,
    description: (row) => row.description,
    reference: (row) => row.reference,
    amount: (row) => row.amount,
    currency: (row) => row.currency,
    status: (row) => row.status,
    transactionReference: (row) => row.transactionReference,
    reason: (row) => reasonOf(row),
    matchedBy: (row) => row.matchedBy,
    matchedAt: (row) => toTimestampOrNull(row.matchedAt),
  },
  async list(tx, query) {
    const items = await listItems(tx, query);
    const runs = new Map((await runsOf(tx, items)).map((run) => [run.id, run]));
    return items.flatMap((item) => {
      const run = runs.get(item.runId);
      return run ? { ...item, account: run.account, currency: run.currency } : [];
    });
  },
});

/** Payments that no statement has shown, oldest first, in the order of the list. */
const awaitedCsv = listExport<AwaitedPayment, typeof AwaitedQuery>({
  columns: {
    id: (row) => row.id,
    transactionReference: (row) => row.reference,
    type: (row) => row.type,
    amount: (row) => row.amount,
    currency: (row) => row.currency,
    customerId: (row) => row.customerId,
    eftOrderId: (row) => row.eftOrderId,
    paidAt: (row) => toTimestamp(row.paidAt),
  },
  async list(tx, { q, limit, startingAfter }) {
    const { named } = await withNamed(tx, { q });
    return awaitedNow(tx, { named, limit, after: startingAfter ? await awaitedAfter(tx, startingAfter) : null });
  },
});

async function toMatch(tx: Tx, query: z.output<typeof ToMatchQuery>) {
  const { items: found, ...paging } = await page(query, (wanted) =>
    listItems(tx, { ...wanted, runId: undefined, status: ["unmatched"] }),
  );
  const [runs, left] = await Promise.all([runsOf(tx, found), leftToMatch(tx, query.account)]);
  const lines = found.flatMap((item) => runs.filter(({ id }) => id === item.runId).map((run) => ({ item, run })));
  const suggestions = await suggestionsFor(tx, lines);
  const shown = lines.map(({ item, run }) => ({
    ...staffItemView(item, run, { allocations: [], received: undefined }),
    suggestions: suggestions.get(item.id) ?? [],
  }));
  const sums = left.map(({ received, paid, ...rest }) => ({ ...rest, received: toRand(received), paid: toRand(paid) }));
  return { ...listBody(shown, paging), left: sums };
}

/** The endpoints of interface 14.5: what staff do with the lines of statements. */
const items = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/reconciliation/items",
    summary: "List lines of statements, and payments that statements lack, newest first",
    permission: "reconciliation:read",
    query: ItemQuery,
    replies: { 200: listOf(StaffItemObject) },
    async handle({ query }, tx) {
      const { items: found, ...paging } = await page(await withNamed(tx, query), (wanted) => listItems(tx, wanted));
      const ids = found.map(({ id }) => id);
      const [allocations, runs, receipts] = await Promise.all([
        allocationsOf(tx, ids),
        runsOf(tx, found),
        receiptsOf(tx, found),
      ]);
      const shown = found.flatMap((item) =>
        runs
          .filter(({ id }) => id === item.runId)
          .map((run) => staffItemView(item, run, { allocations, received: receipts.get(item.id) })),
      );
      return { status: 200, body: listBody(shown, paging) };
    },
  }),
  endpoint({
    ...common,
    audience: "staff",
    method: "GET",
    path: "/reconciliation/to-match",
    summary: "List unmatched lines with the best candidates of each, newest first, and what is left to match",
    permission: "reconciliation:read",
    also: ["transactions:read", "invoices:read", "customers:read"],
    query: ToMatchQuery,
    replies: { 200: listOf(ToMatchObject).extend({ left: z.array(LeftToMatch) }) },
    handle: async ({ query }, tx) => ({ status: 200, body: await toMatch(tx, query) }),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/reconciliation/items/{id}",
    summary: "Get a line of a statement",
    permission: "reconciliation:read",
    params,
    replies: { 200: StaffItemObject },
    handle: async ({ params: { id } }, tx) => ({ status: 200, body: staffItem(await readItem(tx, id)) }),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/reconciliation/items/{id}/candidates",
    summary: "List candidates for an unmatched line, the most probable first; q names a customer or an invoice",
    permission: "reconciliation:read",
    also: ["transactions:read", "invoices:read", "customers:read"],
    params,
    query: z.object({ q: filter() }),
    replies: { 200: z.object({ data: z.array(CandidateObject) }) },
    handle: async ({ params: { id }, query: { q } }, tx) => ({
      status: 200,
      body: { data: await candidatesFor(tx, id, q || null) },
    }),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/reconciliation/items/{id}/match",
    summary: "Match a line by hand",
    permission: "reconciliation:write",
    idempotent: true,
    params,
    body: MatchBody,
    replies: { 200: StaffItemObject },
    handle: async ({ ctx, params: { id }, body }, tx) => itemChanged(await matchItem(tx, ctx, id, body.allocations)),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/reconciliation/items/{id}/ignore",
    summary: "Say that a line is none of the organisation's, and why",
    permission: "reconciliation:write",
    idempotent: true,
    params,
    body: IgnoreBody,
    replies: { 200: StaffItemObject },
    handle: async ({ ctx, params: { id }, body }, tx) => itemChanged(await ignoreItem(tx, ctx, id, body.reason)),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/reconciliation/items/{id}/unmatch",
    summary: "Undo the match of a line, in the books too, or the decision to ignore it",
    permission: "reconciliation:write",
    idempotent: true,
    params,
    replies: { 200: StaffItemObject },
    handle: async ({ ctx, params: { id } }, tx) => itemChanged(await undoMatch(tx, ctx, id)),
  }),
  listEndpoint(
    "reconciliation-items",
    "Bank lines",
    "reconciliation:read",
    ItemQuery.omit(PAGING),
    bankLinesCsv,
    "reconciliation",
  ),
  csvEndpoint(
    "reconciliation-awaited",
    "Payments that no statement has shown as CSV, oldest first; with every filter of the list",
    "reconciliation:read",
    AwaitedQuery.omit(PAGING),
    awaitedCsv,
    "reconciliation",
  ),
];

const decision = (action: string, status: "accepted" | "declined", summary: string) =>
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: `/reconciliation/rules/{id}/${action}`,
    summary,
    permission: "reconciliation:write",
    idempotent: true,
    params,
    replies: { 200: RuleObject },
    async handle({ ctx, params: { id } }, tx) {
      const rule = await decideRule(tx, id, status, ctx.now);
      if (!rule) throw notFound("reconciliation rule");
      return changed(ruleView(rule.before), ruleView(rule.after));
    },
  });

/** Rules from manual matches. */
const rulesCsv = listExport<Rule, typeof RuleQuery>({
  columns: {
    id: (row) => row.id,
    account: (row) => row.account,
    fragment: (row) => row.fragment,
    direction: (row) => row.direction,
    kind: (row) => row.kind,
    gatewayId: (row) => row.subject,
    status: (row) => row.status,
    itemId: (row) => row.itemId,
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  list: listRules,
});

const rules = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/reconciliation/rules",
    summary: "List rules that were learned from matches by hand, newest first",
    permission: "reconciliation:read",
    query: RuleQuery,
    replies: { 200: listOf(RuleObject) },
    handle: (call, tx) => listed(call, (wanted) => listRules(tx, wanted), ruleView),
  }),
  decision("accept", "accepted", "Accept a rule: later statements of its account are matched by it"),
  decision("decline", "declined", "Decline a rule, or stop one that was accepted"),
  listEndpoint(
    "reconciliation-rules",
    "Matching rules",
    "reconciliation:read",
    RuleQuery.omit(PAGING),
    rulesCsv,
    "reconciliation",
  ),
];

export const reconciliationEndpoints = [...runs, ...items, ...rules];
