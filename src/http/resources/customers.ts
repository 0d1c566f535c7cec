import { z } from "zod";
import { deleteCustomer, patchCustomer, upsertCustomer } from "../../flows/customers/save-customer.ts";
import { readStanding } from "../../flows/customers/update-standing.ts";
import { csvExport, type ExportQuery } from "../../flows/exports/csv-export.ts";
import { issuePortalLink } from "../../flows/portal-access/issue-portal-link.ts";
import { withWords } from "../../flows/search/named-by.ts";
import { notFound } from "../../kernel/errors.ts";
import { type Instant, toTimestamp } from "../../kernel/time.ts";
import {
  CustomerBody,
  CustomerObject,
  CustomerQuery,
  PortalLinkBody,
  PortalLinkObject,
  StandingObject,
} from "../../modules/customers/schema.ts";
import { customerTotals, exportCustomers, findCustomer, listCustomers } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { customerView } from "../../modules/customers/view.ts";
import { csvEndpoint, EXPORT_DAYS, PAGING } from "../csv-export.ts";
import { endpoint } from "../endpoint.ts";
import { totalsEndpoint } from "../list-totals.ts";
import { listed, listOf } from "../lists.ts";
import { changed, created, removed } from "../replies.ts";

const common = { audience: "clients", tag: { name: "Customers", about: "Who pays, and how they stand." } } as const;
const params = z.object({ id: z.string() });

const time = (value: Instant | null): string | null => value && toTimestamp(value);

/** Customers, by the day they were created. */
export const customersCsv = csvExport<Customer, ExportQuery<typeof CustomerQuery>>({
  columns: {
    id: (row) => row.id,
    accountCode: (row) => row.accountCode,
    externalReference: (row) => row.externalReference,
    email: (row) => row.email,
    firstName: (row) => row.firstName,
    lastName: (row) => row.lastName,
    company: (row) => row.company,
    vatNumber: (row) => row.vatNumber,
    phone: (row) => row.phone,
    address: (row) => row.address,
    active: (row) => String(row.active),
    standing: (row) => row.standing,
    createdAt: (row) => time(row.createdAt),
    updatedAt: (row) => time(row.updatedAt),
  },
  read: (tx, { limit, after, from, until }, { from: _from, to: _to, ...filter }) =>
    exportCustomers(tx, { ...withWords(filter), limit, after, from, until }),
  keyOf: ({ id }) => id,
});

/** The endpoints of interface 4.4. */
export const customerEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    path: "/customers",
    summary: "List customers, newest first",
    permission: "customers:read",
    query: CustomerQuery,
    replies: { 200: listOf(CustomerObject) },
    async handle(call, tx) {
      return listed(call, (wanted) => listCustomers(tx, withWords(wanted)), customerView);
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/customers",
    summary: "Create or upsert a customer",
    permission: "customers:write",
    idempotent: true,
    body: CustomerBody,
    replies: { 200: CustomerObject, 201: CustomerObject },
    async handle({ ctx, body }, tx) {
      const { customer, before } = await upsertCustomer(tx, ctx, body);
      const view = customerView(customer);
      return before ? changed(customerView(before), view) : created(view);
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/customers/{id}",
    summary: "Get a customer",
    permission: "customers:read",
    params,
    replies: { 200: CustomerObject },
    async handle({ params: { id } }, tx) {
      const customer = await findCustomer(tx, id);
      if (!customer) throw notFound("customer");
      return { status: 200, body: customerView(customer) };
    },
  }),
  endpoint({
    ...common,
    method: "PATCH",
    path: "/customers/{id}",
    edits: true,
    summary: "Update a customer",
    permission: "customers:write",
    params,
    body: CustomerBody,
    replies: { 200: CustomerObject },
    async handle({ ctx, params: { id }, body }, tx) {
      const saved = await patchCustomer(tx, ctx, id, body);
      if (!saved) throw notFound("customer");
      return changed(customerView(saved.before), customerView(saved.customer));
    },
  }),
  endpoint({
    ...common,
    audience: "staff",
    method: "DELETE",
    path: "/customers/{id}",
    summary: "Delete a customer who has no record",
    permission: "customers:write",
    params,
    replies: { 200: CustomerObject },
    async handle({ params: { id } }, tx) {
      return removed(customerView(await deleteCustomer(tx, id)));
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/customers/{id}/portal-link",
    operationId: "createPortalLink",
    summary: "Issue a sign-in link to the customer portal",
    permission: "customers:write",
    idempotent: true,
    params,
    body: PortalLinkBody,
    replies: { 201: PortalLinkObject },
    async handle({ ctx, params: { id }, body }, tx) {
      const link = await issuePortalLink(tx, ctx, id, body);
      if (!link) throw notFound("customer");
      return {
        status: 201,
        body: link,
        audit: { subject: id, after: { emailed: link.emailed, expiresAt: link.expiresAt } },
      };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/customers/{id}/standing",
    summary: "How a customer stands",
    permission: "customers:read",
    params,
    replies: { 200: StandingObject },
    async handle({ ctx, params: { id } }, tx) {
      const standing = await readStanding(tx, ctx, id);
      if (!standing) throw notFound("customer");
      return { status: 200, body: standing };
    },
  }),
  totalsEndpoint("customers", {
    what: "customers",
    permission: "customers:read",
    query: CustomerQuery.omit(PAGING),
    sums: ["balance", "credit"],
    read: (tx, _ctx, query, countTo) => customerTotals(tx, withWords(query), countTo),
  }),
  csvEndpoint(
    "customers",
    "Customers as CSV, by the day they were created; with every filter of the list",
    "customers:read",
    CustomerQuery.omit(PAGING).extend(EXPORT_DAYS),
    customersCsv,
  ),
];
