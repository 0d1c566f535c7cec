import type { CustomerReference } from "../../domain/customer-reference.ts";
import type { AgreementStatus } from "../../domain/mandate-agreement.ts";
import type { StatedVat } from "../../kernel/exemption.ts";
import type { Frequency } from "../../kernel/frequency.ts";
import type {
  CustomerId,
  CustomerSubscriptionId,
  GatewayAccountId,
  MandateAgreementId,
  MandateId,
  ProductId,
} from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";

/** Interface 3.5. */
export const MANDATE_STATUSES = ["pending", "active", "paused", "cancelled"] as const;
export type MandateStatus = (typeof MANDATE_STATUSES)[number];

/** Interface 3.5: the status in more detail. */
export const MANDATE_STAGES = [
  "awaiting_signature",
  "awaiting_approval",
  "pending",
  "active",
  "paused",
  "cancelled",
  "rejected",
] as const;
export type MandateStage = (typeof MANDATE_STAGES)[number];

/** How the customer authorises the debits (interface 4.10). */
export const AUTHORITIES = ["agreement", "emandate", "offline"] as const;
export type Authority = (typeof AUTHORITIES)[number];

/** Interface 4.10. */
export const ACCOUNT_TYPES = ["current", "savings", "transmission"] as const;
export type AccountType = (typeof ACCOUNT_TYPES)[number];

/** The days on which a mandate is collected. */
export interface DebitTerms {
  readonly frequency: Frequency;
  /** 1 to 31; beyond the month's end, its last day. */
  readonly debitDay: number;
  readonly startDate: CalendarDay;
  /** The last day on which a debit may fall. */
  readonly endDate: CalendarDay | null;
  /** The first date under these terms, since they were last changed. Later periods are counted from its month. */
  readonly firstDebitDate: CalendarDay;
  /** The newest date that went into a batch. */
  readonly lastDebitDate: CalendarDay | null;
}

/** The account that is debited. The number itself is sealed. */
export interface MandateBank {
  readonly name: string | null;
  readonly branchCode: string;
  readonly accountType: AccountType;
  readonly accountHolder: string;
  readonly accountNumberSealed: string;
  readonly accountNumberLast4: string;
}

/** A debit order mandate (interface 2.8): the authority to collect an amount from a bank account, in ZAR. */
export interface Mandate extends DebitTerms {
  readonly id: MandateId;
  /** Interface 2.2: the name under which its debits are made. */
  readonly accountReference: string;
  readonly customerId: CustomerId;
  readonly gatewayAccountId: GatewayAccountId;
  readonly productId: ProductId | null;
  /** Of the VAT that the amount includes; a subscription's invoices state their own. */
  readonly vat: StatedVat;
  /** The customer subscription whose invoices it collects; null for one that collects its own amount. */
  readonly subscriptionId: CustomerSubscriptionId | null;
  readonly status: MandateStatus;
  readonly authority: Authority;
  readonly description: string;
  /** For staff. */
  readonly notes: string | null;
  /** The amount of each debit; for one that collects a subscription, the usual amount (decisions.md#debits-take-what-is-due). */
  readonly amount: Cents;
  /** The date to collect next, before it is moved to a business day; null unless the mandate is active, and after the end date. */
  readonly nextDebitDate: CalendarDay | null;
  /** The date of the last debit that was collected. */
  readonly lastCollectedAt: CalendarDay | null;
  /** The number of dates in a row whose debits were returned unpaid. */
  readonly failureCount: number;
  /** The newest of these dates; null without any. */
  readonly lastUnpaidDate: CalendarDay | null;
  readonly bank: MandateBank;
  readonly idNumberSealed: string | null;
  readonly idNumberLast4: string | null;
  /** The page on which the customer signs an electronic mandate. */
  readonly eMandateUrl: string | null;
  readonly authorisedAt: Instant | null;
  /** When the account holder said at the bank that there is no authority to debit; null once an agreement was signed after that. */
  readonly authorityLostAt: Instant | null;
  /** When an agreement was last signed after that. */
  readonly authorityRenewedAt: Instant | null;
  /** When an agreement was first signed, whatever the authority. */
  readonly agreementSignedAt: Instant | null;
  readonly approvedAt: Instant | null;
  readonly rejectedAt: Instant | null;
  readonly rejectionReason: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The newest agreement of a mandate, as its mandate shows it. */
export interface LatestAgreement {
  readonly id: MandateAgreementId;
  /** As stored. */
  readonly status: AgreementStatus;
  readonly expiresAt: Instant;
}

/** A mandate with the data of other rows that the API shows. */
export interface MandateRecord extends Mandate {
  readonly customer: CustomerReference;
  readonly latestAgreement: LatestAgreement | null;
}
