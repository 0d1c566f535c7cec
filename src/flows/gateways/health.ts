import { addSeconds, DAY_SECONDS, type Instant, secondsBetween, toTimestampOrNull } from "../../kernel/time.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { standingOf } from "../../modules/gateway-health/rules.ts";
import { countRefused, countUnclear, endUnclear, healthOf } from "../../modules/gateway-health/store.ts";
import { recentReports } from "../../modules/gateway-notifications/store.ts";
import { organisationOfGatewayAccount } from "../../modules/organisations/store.ts";
import { waitingPayments } from "../../modules/payments/store/payments.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, realTime } from "../context.ts";
import type { Services } from "../services.ts";

type Kept = Pick<Services, "db" | "log">;

/** Accounts whose last call from this process had no clear answer: their next clear answer is recorded at once. */
const failing = new Set<string>();
/**
 * While all calls of this process have clear answers, one is recorded at most this often. Calls of other processes may
 * have had none in between.
 */
const NOTED_SECONDS = 30;
/** When this process last recorded a clear answer, by account. */
const noted = new Map<string, Instant>();

/** Records that a call of the account's gateway had no clear answer; `why` holds no secret. */
export async function noteUnclear(services: Kept, accountId: string, why: string): Promise<void> {
  failing.add(accountId);
  await note(services, accountId, (tx) => countUnclear(tx, accountId, why, realTime()));
}

/** Records a clear answer that follows an unclear one, of whichever process; records no other. */
export async function noteClear(services: Kept, accountId: string): Promise<void> {
  const [now, last] = [realTime(), noted.get(accountId)];
  if (!failing.delete(accountId) && last !== undefined && secondsBetween(last, now) < NOTED_SECONDS) return;
  noted.set(accountId, now);
  await note(services, accountId, (tx) => endUnclear(tx, accountId));
}

/** Records that a notification for the account was refused; `why` must not quote its contents. */
export const noteRefused = (services: Kept, accountId: string, why: string): Promise<void> =>
  note(services, accountId, (tx) => countRefused(tx, accountId, why, realTime()));

/**
 * Records health. A failure to record it must not stop the use of the gateway, so it is logged. An account that is not
 * stored yet has no health.
 */
async function note({ db, log }: Kept, accountId: string, write: (tx: Tx) => void): Promise<void> {
  try {
    const organisation = await organisationOfGatewayAccount(db, accountId);
    if (organisation) await db.transaction(organisation.id, async (tx) => write(tx));
  } catch (error) {
    log.warn({ gateway: accountId, err: error }, "the health of a gateway account cannot be recorded");
  }
}

const DAYS = 30;
/** The seconds that a payer may need: a payment that has been pending for longer should have been reported. */
const PATIENCE_SECONDS = 3600;

/** The health of a gateway account, for staff. Null when there is no such account. */
export async function describeHealth(tx: Tx, { now }: Ctx, id: string) {
  const account = await findGatewayAccount(tx, id);
  if (!account) return null;
  const [{ refused, unclear }, reports, waiting] = await Promise.all([
    healthOf(tx, id),
    recentReports(tx, id, addSeconds(now, -DAYS * DAY_SECONDS)),
    waitingPayments(tx, id, addSeconds(now, -PATIENCE_SECONDS)),
  ]);
  const { lastNotificationAt, applied, repeated, mismatch, unknown, seen, asked } = reports;
  return {
    gatewayId: id,
    status: standingOf(unclear, realTime()),
    days: DAYS,
    notifications: {
      lastAt: toTimestampOrNull(lastNotificationAt),
      ...{ applied, repeated, mismatch, unknown },
      refused: refused.count,
      lastRefusedAt: toTimestampOrNull(refused.lastAt),
      lastRefusal: refused.last,
    },
    unclearCalls: {
      count: unclear.count,
      inARow: unclear.inARow,
      lastAt: toTimestampOrNull(unclear.lastAt),
      last: unclear.last,
    },
    payments: {
      expected: seen + asked + waiting.count,
      seen,
      foundByAsking: asked,
      waiting: waiting.count,
      oldestWaitingSince: toTimestampOrNull(waiting.oldestAt),
    },
  };
}
