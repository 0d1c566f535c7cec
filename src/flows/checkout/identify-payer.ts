import { invalidField } from "../../kernel/errors.ts";
import type { CheckoutSessionId } from "../../kernel/ids.ts";
import { asOf, isOpen } from "../../modules/checkout-sessions/states.ts";
import { lockCheckoutSession, updateCheckoutSession } from "../../modules/checkout-sessions/store.ts";
import type { CheckoutSession, Prefill } from "../../modules/checkout-sessions/types.ts";
import {
  findOldestByEmail,
  lockCustomerForUpdate,
  serialiseCreation,
  updateCustomer,
} from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { createCustomer } from "../customers/save-customer.ts";
import { newSession, openCheckoutSession } from "./create-session.ts";
import { mailWelcome } from "./welcome-mail.ts";

/** What payers enter about themselves; an empty entry is null. */
export interface PayerDetails {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string | null;
  readonly phone: string | null;
  readonly company: string | null;
  readonly address: string | null;
  readonly vatNumber: string | null;
}

/** The session that a form names, with its product or plan for a session that the form makes itself. */
export interface NamedSession extends Pick<CheckoutSession, "packageId" | "planId" | "productId" | "currency"> {
  readonly id: CheckoutSessionId;
}

/** A session with its customer; null in place of the customer when the session accepts no more submissions. */
export interface Identified {
  readonly session: CheckoutSession;
  readonly customer: Customer | null;
}

/**
 * Stores the payer of a checkout (interface 4.12): makes the session when the form came without one, matches the
 * customer by email, fills in empty fields, or creates the customer, who gets a welcome mail. `chosen` is the payer's
 * choice before it is confirmed. Locks the session, the address and the customer. Throws 400 at `email` for an inactive
 * customer, 403 `plan_limit`.
 */
export async function identifyPayer(
  tx: Tx,
  ctx: Ctx,
  named: NamedSession,
  details: PayerDetails,
  chosen: Partial<Pick<CheckoutSession, "planId" | "couponCode">> = {},
): Promise<Identified> {
  const locked = (await lockCheckoutSession(tx, named.id)) ?? (await hostedSession(tx, ctx, named, details));
  const session = asOf(locked, ctx.now);
  if (!isOpen(session)) return { session, customer: null };
  const customer = await matchedCustomer(tx, ctx, details);
  const used: CheckoutSession = {
    ...session,
    ...chosen,
    customerId: customer.id,
    prefill: session.source === "hosted" ? prefillOf(details) : session.prefill,
    entered: enteredBy(details),
    usedAt: session.usedAt ?? ctx.now,
    updatedAt: ctx.now,
  };
  updateCheckoutSession(tx, used);
  return { session: used, customer };
}

/** The session of a form that was opened without one. A form that is sent twice at the same time makes one session. */
async function hostedSession(
  tx: Tx,
  ctx: Ctx,
  { id, ...sold }: NamedSession,
  details: PayerDetails,
): Promise<CheckoutSession> {
  const more = { returnUrl: null, couponCode: null, prefill: prefillOf(details), metadata: {} };
  const session = newSession(ctx, id, sold, { source: "hosted", ...more });
  await openCheckoutSession(tx, session);
  return (await lockCheckoutSession(tx, id)) ?? session;
}

const prefillOf = ({ email, firstName, lastName, phone, company }: PayerDetails): Prefill => ({
  email,
  firstName,
  ...(lastName === null ? {} : { lastName }),
  ...(phone === null ? {} : { phone }),
  ...(company === null ? {} : { company }),
});

const enteredBy = (details: PayerDetails): CheckoutSession["entered"] =>
  Object.fromEntries(Object.entries(details).filter(([, value]) => value !== null));

const FILLED_IN = ["firstName", "lastName", "phone", "company", "address", "vatNumber"] as const;

async function matchedCustomer(tx: Tx, ctx: Ctx, details: PayerDetails): Promise<Customer> {
  serialiseCreation(tx, "customer email", details.email);
  const found = await findOldestByEmail(tx, details.email);
  const known = found && (await lockCustomerForUpdate(tx, found.id));
  if (!known) {
    const created = await createCustomer(tx, ctx, details);
    mailWelcome(tx, ctx, created);
    return created;
  }
  if (!known.active)
    throw invalidField(["email"], "This address cannot check out here. Contact us if you think that is a mistake.");
  const blanks = FILLED_IN.filter((field) => known[field] === null && details[field] !== null);
  if (blanks.length === 0) return known;
  const filled = {
    ...known,
    ...Object.fromEntries(blanks.map((field) => [field, details[field]])),
    updatedAt: ctx.now,
  };
  updateCustomer(tx, filled);
  return filled;
}
