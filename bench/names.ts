import type { CardId, CustomerId, InvoiceId, OrganisationId, PaymentLinkId } from "../src/kernel/ids.ts";

/* The contents of a database of the benchmark, by number, so that every process can compute the ids. */

/** The organisations are numbered from 1. */
export const ORGANISATIONS = 1000;
/** Links of each organisation in a database called empty, numbered from 0, for the requests that read. */
export const LINKS_WHEN_EMPTY = 10;

/** The organisation that has many customers, and half of all invoices where there are many. */
export const LARGE = 1;
export const CUSTOMERS_OF_LARGE = 2000;
/** Of each of the others. */
export const CUSTOMERS = 20;

/** How many customers an organisation has, numbered from 0. */
export const customersOf = (organisation: number): number => (organisation === LARGE ? CUSTOMERS_OF_LARGE : CUSTOMERS);

/** Of each organisation where saved cards are charged, each with one card; the limits of interface 8.2 are then never reached. */
export const CARDHOLDERS = 100;

/** Of each organisation where there are subscriptions: customers, numbered from 0, each with as many subscriptions as any other. */
export const SUBSCRIBERS = 100;

/** Of each organisation where notifications are received: pending payments, numbered from 0, each to be reported once. */
export const PAYMENTS = 100;

const digits = (number: number, length: number): string => String(number).padStart(length, "0");

export const organisationId = (organisation: number) => `org_${digits(organisation, 26)}` as OrganisationId;

/** Not secret: the database exists for minutes and only on this machine. */
export const apiKey = (organisation: number): string =>
  `tefo_${organisation.toString(16).padStart(8, "0")}_${"0".repeat(43)}`;

export const linkId = (organisation: number, link: number) =>
  `plink_${digits(organisation, 16)}${digits(link, 10)}` as PaymentLinkId;

export const customerId = (organisation: number, customer: number) =>
  `cus_${digits(organisation, 16)}${digits(customer, 10)}` as CustomerId;

export const invoiceId = (organisation: number, invoice: number) =>
  `inv_${digits(organisation, 16)}${digits(invoice, 10)}` as InvoiceId;

/** The card of the customer with this number. */
export const cardId = (organisation: number, customer: number) =>
  `card_${digits(organisation, 16)}${digits(customer, 10)}` as CardId;

/** The gateway account whose payments are pending. */
export const gatewayAccountId = (organisation: number): string => `gw_${digits(organisation, 26)}`;
/** Of these accounts, with which the load generator signs. Not secret, as `apiKey`. */
export const GATEWAY_SECRET = "0".repeat(43);

export const transactionId = (organisation: number, payment: number): string =>
  `txn_${digits(organisation, 16)}${digits(payment, 10)}`;
/** Of the pending payment with this number. */
export const paymentReference = (organisation: number, payment: number): string =>
  `TEFO-${transactionId(organisation, payment)}`;

/** The plan of every organisation where there are subscriptions. */
export const PLAN_ID = `plan_${"0".repeat(26)}`;
/** Of each organisation that has packages. */
export const PACKAGE_ID = `pkg_${"0".repeat(26)}`;

export const slug = (organisation: number): string => `bench-${organisation}`;

/** The hosted checkout page of an organisation's package. */
export const checkoutPath = (organisation: number): string => `/c/${slug(organisation)}/package/${PACKAGE_ID}`;

/** Of all organisations together, among those that were added with this tag. */
export const subscriptionId = (tag: string, subscription: number) => `csub_${tag}${digits(subscription, 24)}`;

/** SQL for the same, of the integer expressions given. */
export const sqlOrganisationId = (organisation: string): string => `('org_' || lpad((${organisation})::text, 26, '0'))`;

const sqlId =
  (prefix: string) =>
  (organisation: string, number: string): string =>
    `('${prefix}_' || lpad((${organisation})::text, 16, '0') || lpad((${number})::text, 10, '0'))`;
/** As `sqlOrganisationId`. */
export const sqlLinkId = sqlId("plink");
/** As `sqlOrganisationId`. */
export const sqlCustomerId = sqlId("cus");
/** As `sqlOrganisationId`. */
export const sqlInvoiceId = sqlId("inv");
/** As `sqlOrganisationId`. */
export const sqlCardId = sqlId("card");

export const sqlGatewayAccountId = (organisation: string): string =>
  `('gw_' || lpad((${organisation})::text, 26, '0'))`;
/** As `sqlOrganisationId`. */
export const sqlTransactionId = sqlId("txn");
/** The reference of a payment, of the SQL for its id. */
export const sqlPaymentReference = (transactionId: string): string => `('TEFO-' || ${transactionId})`;

/** SQL that claims the Idempotency-Key of number `:u` for a POST to this path (an SQL expression), as a first request with it does. */
export const sqlClaim = (organisation: string, path: string): string => `
  insert into idempotency_keys (organisation_id, key, method, path, recorded_at, claimed_at, body_hash)
  select ${organisation}, 'floor' || :u::bigint, 'POST', ${path}, date_trunc('day', clock_timestamp(), 'UTC'), clock_timestamp(), sha256('body')
   where not exists (
     select from idempotency_keys where organisation_id = ${organisation} and key = 'floor' || :u::bigint and method = 'POST' and path = ${path}
        and recorded_at >= now() - interval '2 days' and recorded_at < now() + interval '1 day' and claimed_at > now() - interval '1 day')
  on conflict do nothing`;
