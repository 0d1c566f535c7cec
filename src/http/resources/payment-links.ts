import { z } from "zod";
import type { Ctx } from "../../flows/context.ts";
import { listExport } from "../../flows/exports/csv-export.ts";
import { linkAddresses } from "../../flows/payment-links/addresses.ts";
import { createPaymentLink } from "../../flows/payment-links/create-payment-link.ts";
import { deactivateLink } from "../../flows/payment-links/deactivate-payment-link.ts";
import { linkQrCode, PNG, SVG } from "../../flows/payment-links/link-qr-code.ts";
import { shownLinks } from "../../flows/payment-links/shown-links.ts";
import { withNamed } from "../../flows/search/named-by.ts";
import { notFound } from "../../kernel/errors.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import {
  PaymentLinkCreate,
  PaymentLinkObject,
  PaymentLinkQuery,
  PaymentLinkWithPayments,
  QrCodeQuery,
  StaffPaymentLink,
} from "../../modules/payment-links/schema.ts";
import { countLinks, findLinkWithPayments, listLinksWithPayments } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import { paymentLinkView } from "../../modules/payment-links/view.ts";
import type { Tx } from "../../platform/database.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { downloadEndpoint, endpoint } from "../endpoint.ts";
import { PAYMENT_LINK } from "../expand/records.ts";
import { totalsEndpoint } from "../list-totals.ts";
import { listBody, listOf, page } from "../lists.ts";

const PAYMENTS_IN_LIST = 50;
/** Most payments shown of a single link. */
const PAYMENTS_ALONE = 100;

const common = {
  tag: { name: "Payment links", about: "A link that a payer opens to pay an amount." },
  feature: "payment_links",
} as const;

async function oneWithPayments(tx: Tx, ctx: Ctx, id: string) {
  const link = await findLinkWithPayments(tx, id, PAYMENTS_ALONE);
  const [shown] = link ? await shownLinks(tx, ctx, [link]) : [];
  if (!shown) throw notFound("payment link");
  return shown;
}

/** Payment links, without their addresses, which give access to the payment. */
const paymentLinksCsv = listExport<PaymentLink, typeof PaymentLinkQuery>({
  columns: {
    id: (row) => row.id,
    title: (row) => row.title,
    description: (row) => row.description,
    active: (row) => String(row.active),
    amount: (row) => row.amount,
    currency: (row) => row.currency,
    frequency: (row) => row.recurring?.frequency ?? null,
    singleUse: (row) => String(row.singleUse),
    paidCount: (row) => String(row.paidCount),
    customerId: (row) => row.customerId,
    invoiceId: (row) => row.invoiceId,
    externalReference: (row) => row.externalReference,
    expiresAt: (row) => toTimestampOrNull(row.expiresAt),
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  list: async (tx, query) => listLinksWithPayments(tx, await withNamed(tx, query), 0),
});

/** The endpoints of interface 4.2; staff may also deactivate a link (interface 14.2). */
export const paymentLinkEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/payment-links",
    summary: "Create a payment link",
    permission: "payment_links:write",
    idempotent: true,
    body: PaymentLinkCreate,
    replies: { 201: PaymentLinkObject },
    async handle({ ctx, body }, tx) {
      const link = await createPaymentLink(tx, ctx, body);
      const view = paymentLinkView(link, linkAddresses(ctx, link));
      const { url: _url, shortUrl: _shortUrl, ...after } = view;
      return { status: 201, body: view, audit: { subject: link.id, after } };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/payment-links",
    expands: PAYMENT_LINK,
    summary: "List payment links, newest first",
    permission: "payment_links:read",
    query: PaymentLinkQuery,
    replies: { 200: listOf(PaymentLinkWithPayments) },
    staffReplies: { 200: listOf(StaffPaymentLink) },
    async handle({ ctx, query }, tx) {
      const { items, ...paging } = await page(await withNamed(tx, query), (wanted) =>
        listLinksWithPayments(tx, wanted, PAYMENTS_IN_LIST),
      );
      return { status: 200, body: listBody(await shownLinks(tx, ctx, items), paging) };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/payment-links/{id}",
    expands: PAYMENT_LINK,
    summary: "Get a payment link",
    permission: "payment_links:read",
    params: z.object({ id: z.string() }),
    replies: { 200: PaymentLinkWithPayments },
    staffReplies: { 200: StaffPaymentLink },
    async handle({ ctx, params: { id } }, tx) {
      return { status: 200, body: await oneWithPayments(tx, ctx, id) };
    },
  }),
  downloadEndpoint({
    ...common,
    audience: "clients",
    path: "/payment-links/{id}/qr.svg",
    summary: "Download the QR code of a payment link as SVG",
    permission: "payment_links:read",
    params: z.object({ id: z.string() }),
    media: SVG,
    download: ({ ctx, services, params: { id } }) => linkQrCode(services, ctx, id, { svg: true }),
  }),
  downloadEndpoint({
    ...common,
    audience: "clients",
    path: "/payment-links/{id}/qr.png",
    summary: "Download the QR code of a payment link as PNG",
    permission: "payment_links:read",
    params: z.object({ id: z.string() }),
    query: QrCodeQuery,
    media: PNG,
    download: ({ ctx, services, params: { id }, query: { size } }) => linkQrCode(services, ctx, id, { size }),
  }),
  endpoint({
    ...common,
    audience: "staff",
    method: "POST",
    path: "/payment-links/{id}/deactivate",
    summary: "Deactivate a payment link permanently",
    permission: "payment_links:write",
    params: z.object({ id: z.string() }),
    replies: { 200: StaffPaymentLink },
    async handle({ ctx, params: { id } }, tx) {
      const { before, after } = await deactivateLink(tx, id);
      return {
        status: 200,
        body: await oneWithPayments(tx, ctx, id),
        audit: { subject: after.id, before: { active: before.active }, after: { active: after.active } },
      };
    },
  }),
  totalsEndpoint("payment-links", {
    what: "payment links",
    permission: "payment_links:read",
    feature: "payment_links",
    query: PaymentLinkQuery.omit(PAGING),
    sums: [],
    read: async (tx, _ctx, query, countTo) => countLinks(tx, await withNamed(tx, query), countTo),
  }),
  listEndpoint(
    "payment-links",
    "Payment links",
    "payment_links:read",
    PaymentLinkQuery.omit(PAGING),
    paymentLinksCsv,
    "payment_links",
  ),
];
