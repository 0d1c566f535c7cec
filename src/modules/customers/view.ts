import type { CustomerBalance } from "../../domain/customer-balance.ts";
import { toRand } from "../../kernel/money.ts";
import { type Instant, toTimestamp } from "../../kernel/time.ts";
import type { Customer, Standing } from "./types.ts";

/** Interface 2.4. */
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

/** Interface 2.14, `account_standing`. */
export const standingView = (
  customer: Customer,
  status: Standing,
  currency: string,
  owed: CustomerBalance,
  now: Instant,
) => ({
  object: "account_standing" as const,
  customerId: customer.id,
  status,
  currency,
  balance: toRand(owed.balance),
  overdueAmount: toRand(owed.overdue),
  oldestOverdueAt: owed.oldestOverdue,
  credit: toRand(owed.credit),
  openInvoices: owed.openInvoices,
  asOf: toTimestamp(now),
});
