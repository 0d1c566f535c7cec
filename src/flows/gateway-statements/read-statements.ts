import type { StatementAbility, StatementLine, StatementReading } from "../../gateways/contract.ts";
import { addBusinessDays } from "../../kernel/business-days.ts";
import {
  addDays,
  addSeconds,
  type CalendarDay,
  calendarDay,
  type Instant,
  instant,
  startOfDay,
} from "../../kernel/time.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { STATEMENTS_READ } from "../../modules/gateway-statements/declarations.ts";
import {
  awaitedStatements,
  endLines,
  hasPaymentsSince,
  insertStatement,
  keepTicket,
  waitingLines,
} from "../../modules/gateway-statements/store.ts";
import type { AwaitedStatement, StoredLine } from "../../modules/gateway-statements/types.ts";
import { flagNotOnStatement, unflagOnStatement } from "../../modules/payments/store/not-on-statement.ts";
import type { Tx } from "../../platform/database.ts";
import { dueTimeOf, enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { gatewayCallOf, gatewayOf } from "../gateways/accounts.ts";
import { askGateway } from "../gateways/ask-gateway.ts";
import { alertNotOnStatement, alertStatement } from "../mail/staff-alerts.ts";
import { applyFacts } from "../payments/apply-facts.ts";
import { recordFailedFeed, recordFeed } from "../reconciliation/statement-feed.ts";
import type { Services } from "../services.ts";

/**
 * The number of days that are read again for an account that had no payments on the days whose statements may change: a
 * bank can report a change at any time.
 */
const QUIET_DAYS = 7;
/** Seconds after which the gateway is asked again for a statement that it is preparing, or did not deliver. */
const PREPARED_SECONDS = 60;
const UNCLEAR_SECONDS = 600;
const REFUSED_SECONDS = 3600;
/**
 * Seconds for which lines wait until every statement has been read, so that returned money is known before a debit
 * counts as collected.
 */
const READ_FIRST_SECONDS = 3600;
const UNREAD = "The gateway did not answer, or its statement could not be read. It is asked again every ten minutes.";
/** How many lines are applied at once. */
const LINES_TOGETHER = 500;

/** Enqueues the daily reading of an account whose gateway has statements. */
export async function awaitStatements(tx: Tx, { now }: Pick<Ctx, "now">, account: GatewayAccount): Promise<void> {
  if (!gatewayOf(account).adapter.statement || (await dueTimeOf(tx, STATEMENTS_READ, account.id))) return;
  enqueue(tx, STATEMENTS_READ, account.id, now);
}

interface Reading {
  readonly account: GatewayAccount;
  readonly statement: StatementAbility;
}

/**
 * Reads each statement of an account that may have changed, once a day, and applies its lines: each line once, however
 * often it is read. Returns when to continue: tomorrow, or sooner while the gateway prepares a statement or does not
 * answer. Once all were read, payments that no statement names are flagged.
 */
export async function readStatements(services: Services, ctx: Ctx, accountId: string): Promise<Instant | null> {
  const { organisation, now } = ctx;
  const account = await services.db.read(organisation.id, (tx) => findGatewayAccount(tx, accountId));
  const statement = account && gatewayOf(account).adapter.statement;
  if (!account || !statement) return null;
  const today = calendarDay(now);
  const readyAt = (day: CalendarDay) => addSeconds(startOfDay(day), statement.readyAfterSeconds);
  if (now < readyAt(today)) return readyAt(today);
  const waits = await readDays(services, ctx, { account, statement }, readyAt(today));
  if (waits !== null && now < addSeconds(readyAt(today), READ_FIRST_SECONDS)) return addSeconds(now, waits);
  const failed = await applyLines(services, ctx, account);
  if (waits !== null) return addSeconds(now, waits);
  await flagMissing(services, ctx, { account, statement });
  return failed > 0 ? addSeconds(now, REFUSED_SECONDS) : readyAt(addDays(today, 1));
}

/**
 * Reads the statements that are due since today's became available. Returns the seconds until the next reading, null
 * when all were read.
 */
async function readDays(services: Services, ctx: Ctx, reading: Reading, since: Instant): Promise<number | null> {
  const { account, statement } = reading;
  const today = calendarDay(ctx.now);
  const days = await services.db.read(ctx.organisation.id, async (tx) => {
    if (!(await hasPaymentsSince(tx, account.id, account.createdAt))) return [];
    const recent = addDays(today, -statement.days);
    const busy = await hasPaymentsSince(tx, account.id, startOfDay(recent));
    const first = busy ? recent : addDays(today, -QUIET_DAYS);
    const days = [calendarDay(account.createdAt), first].sort();
    return awaitedStatements(tx, account.id, { from: days[1] ?? first, to: addDays(today, -1), since });
  });
  let prepares = false;
  for (const awaited of days) {
    const answer = await readDay(services, ctx, reading, awaited);
    if (answer === "unclear") {
      if (ctx.now >= addSeconds(since, READ_FIRST_SECONDS)) await noteUnread(services, ctx, account, awaited.day);
      return UNCLEAR_SECONDS;
    }
    if (answer === "refused") return REFUSED_SECONDS;
    prepares ||= answer === "wait";
  }
  return prepares ? PREPARED_SECONDS : null;
}

/** Records a failure that lasts longer than an outage of some minutes as a failed run. */
const noteUnread = ({ db }: Services, ctx: Ctx, account: GatewayAccount, day: CalendarDay): Promise<void> =>
  db.transaction(ctx.organisation.id, (tx) => recordFailedFeed(tx, ctx, account, { day, reason: UNREAD }));

async function readDay(
  services: Services,
  ctx: Ctx,
  { account, statement }: Reading,
  { day, ticket }: AwaitedStatement,
): Promise<StatementReading["kind"] | "unclear"> {
  const { organisation, now } = ctx;
  const call = gatewayCallOf(services, organisation, account, now);
  const about = { gateway: account.id, statement: day };
  const reading = await askGateway(services, about, () => statement.read({ day, ticket }, call));
  if (reading === "unclear") return reading;
  if (reading.kind === "refused") {
    services.log.warn({ ...about, why: reading.reason }, "a gateway gives no statement");
    const { reason } = reading;
    await services.db.transaction(organisation.id, async (tx) => {
      await recordFailedFeed(tx, ctx, account, { day, reason });
      await alertStatement(tx, ctx, account, { day, reason });
    });
    return reading.kind;
  }
  await services.db.transaction(organisation.id, async (tx) => {
    if (reading.kind === "wait") return keepTicket(tx, account.id, { day, ticket: reading.ticket });
    await recordFeed(tx, ctx, account, { day, lines: reading.lines });
    insertStatement(tx, account.id, { day, now }, reading.lines.flatMap(storedLine));
  });
  return reading.kind;
}

/** The line as stored; null for a line that names no payment of ours. */
const storedLine = ({ id, fact, countsFrom }: StatementLine): StoredLine<StatementLine["fact"]>[] =>
  fact.reference === null ? [] : [{ line: id, reference: fact.reference, fact, countsFrom }];

/** Applies the lines that count by now. Returns how many could not be applied; they are retried. */
async function applyLines(services: Services, ctx: Ctx, { id }: GatewayAccount): Promise<number> {
  const { organisation, now } = ctx;
  const today = calendarDay(now);
  let failed = 0;
  let after = "";
  for (;;) {
    const page = { after, limit: LINES_TOGETHER };
    const lines = await services.db.read(organisation.id, (tx) => waitingLines(tx, id, today, page));
    const last = lines.at(-1);
    if (!last) return failed;
    after = last.line;
    // Before their facts, so that the event of a payment that completes shows no flag.
    await services.db.transaction(organisation.id, async (tx) =>
      unflagOnStatement(
        tx,
        lines.map(({ reference }) => reference),
      ),
    );
    const { true: takenBack = [], false: counting = [] } = Object.groupBy(lines, (line) => `${line.taken_back}`);
    const facts = counting.map(({ fact }) => revived(fact));
    const faults = await applyFacts(services, ctx, { accountId: id, source: "statement" }, facts);
    failed += faults;
    await services.db.transaction(organisation.id, async (tx) => {
      endLines(
        tx,
        id,
        takenBack.map(({ line }) => line),
        "taken_back",
      );
      if (faults === 0)
        endLines(
          tx,
          id,
          counting.map(({ line }) => line),
          "applied",
        );
    });
  }
}

/**
 * Flags payments on the gateway's pages whose line has not come: since the gateway's messages are unsigned, somebody
 * may have paid another account under our reference. All days to yesterday have been read. Staff get one mail for all
 * that are new.
 */
async function flagMissing({ db }: Services, ctx: Ctx, { account, statement }: Reading): Promise<void> {
  const yesterday = addDays(calendarDay(ctx.now), -1);
  let last = yesterday;
  while (addBusinessDays(last, statement.lineWithinDays) > yesterday) last = addDays(last, -1);
  const span = { from: startOfDay(addDays(yesterday, -statement.days)), until: startOfDay(addDays(last, 1)) };
  await db.transaction(ctx.organisation.id, async (tx) => {
    const references = await flagNotOnStatement(tx, account.id, span);
    if (references.length > 0) await alertNotOnStatement(tx, ctx, account, references);
  });
}

/** Restores a fact from its stored form, in which times are text. */
function revived(stored: unknown): StatementLine["fact"] {
  const fact = stored as Omit<StatementLine["fact"], "occurredAt"> & { readonly occurredAt: string | null };
  return { ...fact, occurredAt: fact.occurredAt === null ? null : instant(fact.occurredAt) } as StatementLine["fact"];
}
