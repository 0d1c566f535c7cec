import { listByRole } from "../../modules/members/store.ts";
import type { Mismatch } from "../../modules/payments/rules.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { type StaffAlertFacts, staffAlertMail } from "../../templates/mails/staff-alert.ts";
import type { Ctx } from "../context.ts";
import { recordMail } from "./record-mail.ts";

/** Who looks after money (contract 9, "Staff mails"). */
const MONEY_ROLES = ["owner", "admin", "finance"] as const;

/** Tells staff that news of a payment was kept and not applied; once a payment and kind of mismatch. */
export async function alertMismatch(tx: Tx, ctx: Ctx, transaction: Transaction, mismatch: Mismatch): Promise<void> {
  await alertStaff(tx, ctx, `mismatch:${mismatch.what}:${transaction.reference}`, {
    ...factsOf(ctx, transaction),
    kind: "notification_mismatch",
    gatewayName: transaction.gatewayType,
    mismatch: mismatch.what,
    expected: mismatch.expected,
    received: mismatch.received,
  });
}

/** Tells staff that a payment was more than was owed (contract 8); once a payment. */
export async function alertOverpaid(tx: Tx, ctx: Ctx, transaction: Transaction): Promise<void> {
  await alertStaff(tx, ctx, `overpaid:${transaction.reference}`, {
    ...factsOf(ctx, transaction),
    kind: "overpaid",
    title: transaction.description ?? transaction.reference,
    payerEmail: transaction.payerEmail,
    paid: transaction.amount,
    excess: transaction.overpaid,
    currency: transaction.currency,
  });
}

const factsOf = (ctx: Ctx, transaction: Transaction) => ({
  organisationName: ctx.organisation.name,
  sandbox: ctx.organisation.sandbox,
  reference: transaction.reference,
  at: ctx.now,
  url: `${ctx.baseUrl}/dashboard/transactions/${transaction.reference}`,
});

/** Mails the members who look after money (contract 9, "Staff mails"); nothing when there are none. */
export async function alertStaff(tx: Tx, ctx: Ctx, dedupeKey: string, facts: StaffAlertFacts): Promise<void> {
  const staff = await listByRole(tx, MONEY_ROLES);
  if (staff.length === 0) return;
  const to = staff.map(({ email }) => email);
  recordMail(tx, ctx, { dedupeKey, kind: "staff_alert", to, fromName: "Tefo" }, staffAlertMail(facts));
}
