import type { CustomerAccount } from "../../kernel/account.ts";
import { toRand } from "../../kernel/money.ts";
import { type Instant, toTimestamp } from "../../kernel/time.ts";
import type { Customer, Standing } from "./types.ts";

/** Spec 2.4. */
export const customerView = (customer: Customer) => ({
  id: customer.id,
  accountCode: customer.accountCode,
  externalReference: customer.externalReference,
  email: customer.email,
  firstName: customer.firstName,
  lastName: customer.lastName,
  company: customer.company,
  vatNumber: customer.vatNumber,
  phone: customer.phone,
  address: customer.address,
  active: customer.active,
  metadata: customer.metadata,
  createdAt: toTimestamp(customer.createdAt),
  updatedAt: toTimestamp(customer.updatedAt),
});

/** Contract 7, `account_standing`. */
export const standingView = (
  customer: Customer,
  status: Standing,
  currency: string,
  account: CustomerAccount,
  now: Instant,
) => ({
  object: "account_standing" as const,
  customerId: customer.id,
  status,
  currency,
  balance: toRand(account.balance),
  overdueAmount: toRand(account.overdue),
  oldestOverdueAt: account.oldestOverdue,
  credit: toRand(account.credit),
  openInvoices: account.openInvoices,
  asOf: toTimestamp(now),
});
