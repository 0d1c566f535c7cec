import { z } from "zod";
import {
  clearable,
  email,
  filter,
  metadata,
  metadataFilter,
  recordQuery,
  text,
  timestamp,
} from "../../platform/schema.ts";
import { STANDINGS } from "./types.ts";

const fields = {
  externalReference: text(1, 100).nullable(),
  email: email().nullable(),
  firstName: clearable(100),
  lastName: clearable(100),
  company: clearable(200),
  vatNumber: clearable(30),
  phone: clearable(30),
  address: clearable(1000),
  metadata: metadata().meta({ type: ["object", "null"] }),
};

/** What becomes of the running subscriptions and mandates of a customer who is deactivated. */
const onActive = () => z.enum(["pause", "cancel", "keep"], "must be pause, cancel or keep");
export type OnActive = z.output<ReturnType<typeof onActive>>;

/** Body of `POST /customers` and `PATCH /customers/{id}` (interface 4.4): fields left out keep their value. */
export const CustomerBody = z
  .object({
    ...fields,
    active: z.boolean(),
    onActive: onActive().describe(
      "Beside active false: what becomes of running subscriptions and mandates. Without it they make the change 409.",
    ),
  })
  .partial();

/** Query of `GET /customers`. */
export const CustomerQuery = recordQuery(["cus"], {
  metadata: metadataFilter(),
  externalReference: filter(),
  email: filter(),
});

/** Body of `POST /customers/{id}/portal-link`. */
export const PortalLinkBody = z.object({ email: z.boolean().default(true) }).default({ email: true });

const nullable = z.string().nullable();

/** Interface 2.4. */
export const CustomerObject = z
  .object({
    id: z.string(),
    accountCode: z.string(),
    externalReference: nullable,
    email: nullable,
    firstName: nullable,
    lastName: nullable,
    company: nullable,
    vatNumber: nullable,
    phone: nullable,
    address: nullable,
    active: z.boolean(),
    metadata: z.record(z.string(), z.string()),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "Customer" });

const standing = z.object({
  object: z.literal("account_standing"),
  customerId: z.string(),
  status: z.enum(STANDINGS),
  currency: z.string(),
  balance: z.number(),
  overdueAmount: z.number(),
  oldestOverdueAt: z.string().nullable(),
  credit: z.number(),
  openInvoices: z.int(),
  asOf: timestamp(),
});

/** Interface 2.14. */
export const StandingObject = standing.meta({ id: "AccountStanding" });

/** Data of `customer.standing.changed`. */
export const StandingChange = standing
  .extend({ previousStatus: z.enum(STANDINGS) })
  .meta({ id: "AccountStandingChange" });

/** Interface 2.14. */
export const PortalLinkObject = z
  .object({ url: z.url(), expiresAt: timestamp(), emailed: z.boolean() })
  .meta({ id: "PortalLink" });
