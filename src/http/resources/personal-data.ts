import { z } from "zod";
import type { Held } from "../../domain/records.ts";
import { retentionOf } from "../../flows/personal-data/apply-retention.ts";
import { erasePersonalData } from "../../flows/personal-data/erase-customer.ts";
import { personalDataArchive } from "../../flows/personal-data/personal-data-archive.ts";
import { notFound } from "../../kernel/errors.ts";
import { calendarDay } from "../../kernel/time.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import { ErasureList, ErasureObject, RetentionObject } from "../../modules/personal-data/schema.ts";
import { findErasure } from "../../modules/personal-data/store.ts";
import { erasureView } from "../../modules/personal-data/view.ts";
import { downloadEndpoint, type Endpoint, endpoint } from "../endpoint.ts";

const MEDIA = "application/zip";
const grouped = {
  audience: "staff",
  tag: { name: "Personal data", about: "Personal data of a customer: download and erasure." },
} as const;
const common = { ...grouped, params: z.object({ id: z.string() }) };

/** The endpoints of interface 18.7. */
export const personalDataEndpoints = (held: Readonly<Record<string, Held>>): readonly Endpoint[] => [
  downloadEndpoint({
    ...common,
    path: "/customers/{id}/personal-data",
    summary: "Download all records of a customer, as one ZIP archive",
    permission: "personal_data:read",
    media: MEDIA,
    async download({ ctx, services, params: { id } }) {
      const { content, accountCode } = await personalDataArchive(services, ctx, held, id);
      return { content, contentType: MEDIA, fileName: `personal-data-${accountCode}-${calendarDay(ctx.now)}.zip` };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/customers/{id}/erasures",
    summary: "Tell whether a customer was erased, with what is kept and until when; none or one",
    permission: "customers:read",
    replies: { 200: ErasureList },
    async handle({ params: { id } }, tx) {
      const customer = await findCustomer(tx, id);
      if (!customer) throw notFound("customer");
      const erasure = await findErasure(tx, customer.id);
      return { status: 200, body: { object: "list" as const, data: erasure ? [erasureView(erasure)] : [] } };
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/customers/{id}/erase",
    summary: "Erase a customer's personal data, except what the law says to keep for a time",
    permission: "personal_data:write",
    idempotent: true,
    replies: { 200: ErasureObject },
    async handle({ ctx, params: { id } }, tx) {
      const body = erasureView(await erasePersonalData(tx, ctx, id));
      return { status: 200, body, audit: { subject: body.customerId, after: body } };
    },
  }),
  endpoint({
    ...grouped,
    method: "GET",
    path: "/retention",
    summary: "How long what is kept, by the settings and by law, and how much was removed so far",
    permission: "settings:read",
    replies: { 200: RetentionObject },
    async handle(_call, tx) {
      return { status: 200, body: await retentionOf(tx) };
    },
  }),
];
