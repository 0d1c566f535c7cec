import { isDeepStrictEqual } from "node:util";
import { appendEvent } from "../../events/outbox.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { counted } from "../../kernel/text.ts";
import { CUSTOMER_CREATED, CUSTOMER_UPDATED } from "../../modules/customers/declarations.ts";
import { accountCodeFor } from "../../modules/customers/rules.ts";
import type { OnActive } from "../../modules/customers/schema.ts";
import {
  countCustomers,
  deleteUnusedCustomer,
  findByExternalReference,
  findCustomer,
  findOldestWithoutReference,
  insertCustomer,
  lockByExternalReference,
  lockCustomerForUpdate,
  lockOldestWithoutReference,
  type Running,
  serialiseCreation,
  updateCustomer,
} from "../../modules/customers/store.ts";
import type { Customer, CustomerChanges } from "../../modules/customers/types.ts";
import { customerView } from "../../modules/customers/view.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { type Ctx, quotaOf } from "../context.ts";
import { endRunning, lockRunning } from "./deactivate-customer.ts";
import { refuseErased } from "./identified-customer.ts";
import { withUpdatedStanding } from "./update-standing.ts";

/**
 * Creates or updates a customer (interface 4.4, upsert): the one with the reference; else the oldest with the email and
 * no reference, which gets the reference; else a new one. Two simultaneous calls give one customer, since both lock the
 * reference. Throws 403 `plan_limit` when a new customer exceeds the limit.
 */
export async function upsertCustomer(
  tx: Tx,
  ctx: Ctx,
  { onActive = null, ...changes }: AskedChanges,
): Promise<{ customer: Customer; before: Customer | null }> {
  const { externalReference, email } = changes;
  if (externalReference) {
    const known = changes.active === false ? await knownBefore(tx, externalReference, email) : null;
    const running = await runningBefore(tx, ctx, known, changes, onActive);
    serialiseCreation(tx, "customer reference", externalReference);
    // Payment links create customers by email too (interface 4.2).
    if (email) serialiseCreation(tx, "customer email", email);
    await endRunning(tx, ctx, running, onActive);
    const found =
      (await lockByExternalReference(tx, externalReference)) ??
      (email ? await lockOldestWithoutReference(tx, email) : null);
    if (found) return { customer: await saveChanges(tx, ctx, found, changes), before: found };
  }
  return { customer: await createCustomer(tx, ctx, changes), before: null };
}

/**
 * Changes a customer (interface 4.4, PATCH). Locks the reference and the customer. Null when there is no such customer.
 * Throws 409 when another customer has the reference, and for an erased one; as `lockRunning` for one that is
 * deactivated.
 */
export async function patchCustomer(
  tx: Tx,
  ctx: Ctx,
  id: string,
  { onActive = null, ...changes }: AskedChanges,
): Promise<{ customer: Customer; before: Customer } | null> {
  const known = changes.active === false ? await findCustomer(tx, id) : null;
  const running = await runningBefore(tx, ctx, known, changes, onActive);
  // Locked in the same order as by an upsert: the reference first, then the row.
  if (changes.externalReference) serialiseCreation(tx, "customer reference", changes.externalReference);
  await endRunning(tx, ctx, running, onActive);
  const before = await lockCustomerForUpdate(tx, id);
  if (!before) return null;
  await refuseErased(tx, before);
  if (changes.externalReference && changes.externalReference !== before.externalReference) {
    if (await findByExternalReference(tx, changes.externalReference))
      throw new ApiError("external_reference_conflict", 409, "Another customer has this externalReference.");
  }
  return { customer: await saveChanges(tx, ctx, before, changes), before };
}

/** A request body: the changes, and what happens to the running records of a customer who is deactivated. */
type AskedChanges = CustomerChanges & { readonly onActive?: OnActive | null | undefined };

/** The customer whom an upsert finds, without a lock: by the reference, else the one who would get it by the email. */
const knownBefore = async (tx: Tx, reference: string, email: string | null | undefined): Promise<Customer | null> =>
  (await findByExternalReference(tx, reference)) ?? (email ? findOldestWithoutReference(tx, email) : null);

/** The running records of an active customer whom the changes deactivate, as `lockRunning` returns them. */
const runningBefore = async (
  tx: Tx,
  ctx: Ctx,
  known: Customer | null,
  { active }: CustomerChanges,
  onActive: OnActive | null,
): Promise<readonly Running[]> => (known?.active && active === false ? lockRunning(tx, ctx, known.id, onActive) : []);

/**
 * Creates a customer. Throws 403 `plan_limit` at the plan's limit, which it counts under a lock (interface 4.2, 4.4).
 */
export async function createCustomer(tx: Tx, ctx: Ctx, changes: CustomerChanges): Promise<Customer> {
  const limit = quotaOf(ctx.organisation, "customers");
  if (limit !== null) {
    serialiseCreation(tx, "customer quota");
    if ((await countCustomers(tx, limit)) >= limit)
      throw new ApiError(
        "plan_limit",
        403,
        `Your plan allows ${counted(limit, "customer")}. Upgrade the plan to add more.`,
      );
  }
  const id = newId("cus");
  const customer: Customer = {
    id,
    accountCode: accountCodeFor(id),
    externalReference: null,
    email: null,
    firstName: null,
    lastName: null,
    company: null,
    vatNumber: null,
    phone: null,
    address: null,
    active: true,
    metadata: {},
    ...withoutUndefined(changes),
    standing: "good",
    createdAt: ctx.now,
    updatedAt: ctx.now,
  };
  insertCustomer(tx, customer);
  appendEvent(tx, ctx.now, CUSTOMER_CREATED, id, customerView(customer));
  return withUpdatedStanding(tx, ctx, customer);
}

/**
 * Deletes a customer who has no record: no document, payment, subscription, mandate, card or portal link. Locks the
 * customer. Throws 404; 409 `invalid_state` for a customer who has one.
 */
export async function deleteCustomer(tx: Tx, id: string): Promise<Customer> {
  const customer = await lockCustomerForUpdate(tx, id);
  if (!customer) throw notFound("customer");
  if (await deleteUnusedCustomer(tx, customer.id)) return customer;
  throw new ApiError(
    "invalid_state",
    409,
    "The customer has documents, payments or other records, so they cannot be deleted. Make them inactive instead.",
  );
}

async function saveChanges(tx: Tx, ctx: Ctx, before: Customer, changes: CustomerChanges): Promise<Customer> {
  const customer = { ...before, ...withoutUndefined(changes), updatedAt: ctx.now };
  updateCustomer(tx, customer);
  if (isChanged(before, customer)) appendEvent(tx, ctx.now, CUSTOMER_UPDATED, customer.id, customerView(customer));
  return withUpdatedStanding(tx, ctx, customer);
}

/** Whether a field that the API shows differs, beside the time of the change. */
const isChanged = (before: Customer, after: Customer): boolean =>
  !isDeepStrictEqual(customerView(before), customerView({ ...after, updatedAt: before.updatedAt }));

const withoutUndefined = (changes: CustomerChanges) =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<Customer>;
