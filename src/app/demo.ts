import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { contextFor, realTime, SYSTEM } from "../flows/context.ts";
import { upsertCustomer } from "../flows/customers/save-customer.ts";
import { createGatewayAccount } from "../flows/gateways/save-account.ts";
import { hostedUrl } from "../flows/hosted-links.ts";
import { createInvoice } from "../flows/invoices/create-invoice.ts";
import { createOrganisation } from "../flows/organisations/create-organisation.ts";
import { changeSettings } from "../flows/organisations/settings.ts";
import { changeOrganisation } from "../flows/organisations/update-organisation.ts";
import { createPackage } from "../flows/packages/save-package.ts";
import { createPlan } from "../flows/packages/save-plan.ts";
import { createPaymentLink } from "../flows/payment-links/create-payment-link.ts";
import { createProduct } from "../flows/products/save-product.ts";
import type { Services } from "../flows/services.ts";
import { ApiError } from "../kernel/errors.ts";
import type { OrganisationId } from "../kernel/ids.ts";
import { newApiKey } from "../modules/api-keys/rules.ts";
import { CustomerBody } from "../modules/customers/schema.ts";
import { GatewayAccountCreate } from "../modules/gateway-accounts/schema.ts";
import { InvoiceCreate } from "../modules/invoices/schema.ts";
import { DEMO_SLUG } from "../modules/organisations/rules.ts";
import { SettingsPatch } from "../modules/organisations/schema.ts";
import { organisationBySlug } from "../modules/organisations/store.ts";
import type { Organisation } from "../modules/organisations/types.ts";
import { PackageCreate, PlanCreate } from "../modules/packages/schema.ts";
import { PAY_PAGE } from "../modules/payment-links/declarations.ts";
import { PaymentLinkCreate } from "../modules/payment-links/schema.ts";
import { listLinksWithPayments } from "../modules/payment-links/store.ts";
import { ProductCreate } from "../modules/products/schema.ts";
import type { Tx } from "../platform/database.ts";
import { violatedUnique } from "../platform/faults.ts";
import type { Identity } from "../platform/identity.ts";
import { newId } from "../platform/new-id.ts";
import type { Config } from "./config.ts";
import { readIfThere, writeOnce } from "./private-file.ts";

/** What is shown of the demo organisation; key and password only on the machine that created it. */
export interface Demo {
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
  /** Null when it was deleted or deactivated. */
  readonly payUrl: string | null;
}

const FILE = "demo.json";

/** Contents of `demo.json`, written before anything is stored, so that the next start after an interruption uses the same values. */
const Note = z.object({
  organisation: z.string(),
  email: z.string(),
  password: z.string(),
  apiKey: z.string(),
});
type Note = z.infer<typeof Note>;

/**
 * Creates the demo organisation of interface 13.7 once and answers what to show of it; null when another machine created it. When
 * processes start at once, the unique slug decides which one creates it; each folder's `demo.json` shows whether it was this one.
 */
export async function makeDemo(
  config: Config,
  { services, identity }: { services: Services; identity: Identity },
): Promise<Demo | null> {
  const found = await organisationBySlug(services.db, DEMO_SLUG);
  const note = await readNote(config.dataDir, found === null);
  if (note === null) return null;
  const organisation = found ?? (await create(services, identity, note));
  if (organisation?.id !== note.organisation) return null;
  const { email, password, apiKey } = note;
  return { email, password, apiKey, payUrl: await newestPayUrl(services, organisation) };
}

/**
 * The contents of `demo.json` in this folder; with `make` a new file when there is none. When the folder cannot be
 * written, they are not stored.
 */
async function readNote(dataDir: string, make: boolean): Promise<Note | null> {
  const path = join(dataDir, FILE);
  const kept = await readIfThere(path).catch(() => null);
  if (kept !== null) return parseNote(kept);
  if (!make) return null;
  const note: Note = {
    organisation: newId("org"),
    email: `owner@${DEMO_SLUG}.example`,
    password: randomBytes(12).toString("base64url"),
    apiKey: newApiKey().key,
  };
  const written = await writeOnce(path, `${JSON.stringify(note, null, 2)}\n`).catch(() => null);
  return written === null ? note : parseNote(written);
}

function parseNote(text: string): Note | null {
  try {
    return Note.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Null when another process created the demo with other values. */
async function create(services: Services, identity: Identity, note: Note): Promise<Organisation | null> {
  const { email, password, apiKey } = note;
  const name = "Demo Owner";
  const owner = { id: await identity.createUser({ email, name, password }), email, name };
  const order = { id: note.organisation as OrganisationId, slug: DEMO_SLUG, name: "Demo Trading" } as const;
  try {
    const { organisation } = await createOrganisation(
      services,
      { actor: SYSTEM, now: realTime() },
      { ...order, plan: "business", sandbox: true, trialDays: 30, owner, apiKey },
      (tx, made) => setUp(tx, services, made),
    );
    return organisation;
  } catch (error) {
    // The slug is taken with other values, or the id with the same ones.
    const wasFirst =
      (error instanceof ApiError && error.status === 409) || violatedUnique(error) === "organisations_pkey";
    if (!wasFirst) throw error;
    return organisationBySlug(services.db, DEMO_SLUG);
  }
}

/** The demo data of interface 13.7, created by the same flows that staff use. */
async function setUp(tx: Tx, services: Services, organisation: Organisation): Promise<void> {
  const ctx = contextFor(services, organisation, SYSTEM);
  await changeSettings(tx, ctx, SettingsPatch.parse({ branding: BRANDING }));
  for (const body of GATEWAYS) await createGatewayAccount(tx, ctx, GatewayAccountCreate.parse(body));
  for (const body of CUSTOMERS) await upsertCustomer(tx, ctx, CustomerBody.parse(body));
  await createProduct(tx, ctx, ProductCreate.parse(PRODUCT));
  const { id } = createPackage(tx, ctx, PackageCreate.parse(PACKAGE));
  for (const body of PLANS) await createPlan(tx, ctx, id, PlanCreate.parse(body));
  await createPaymentLink(tx, ctx, PaymentLinkCreate.parse(PAYMENT_LINK));
  await createInvoice(tx, ctx, InvoiceCreate.parse(INVOICE));
  // The demo is not on trial, since visitors move its clock by more than 30 days.
  await changeOrganisation(tx, SYSTEM, { status: "active" });
}

/** All fields that a tax invoice needs. */
const BRANDING = {
  companyName: "Demo Trading (Pty) Ltd",
  address: "12 Kerk Street\nGraaff-Reinet\n6280",
  vatNumber: "4000000000",
  accentColour: "#0b5d4b",
  supportEmail: "hello@demo.example",
};
const GATEWAYS = [
  { type: "sandbox", name: "Sandbox gateway" },
  {
    type: "manual_eft",
    name: "Manual EFT",
    credentials: {
      bankName: "Demo Bank",
      accountName: "Demo Trading (Pty) Ltd",
      accountNumber: "62000000000",
      branchCode: "250655",
      accountType: "current",
    },
  },
];
const CUSTOMERS = [
  {
    externalReference: "DEMO-1",
    email: "thandi@example.com",
    firstName: "Thandi",
    lastName: "Nkosi",
    phone: "+27 82 555 0101",
  },
  {
    externalReference: "DEMO-2",
    email: "accounts@example.com",
    firstName: "Pieter",
    lastName: "van Wyk",
    company: "Karoo Supplies",
    address: "3 Stasie Street\nCalvinia\n8190",
  },
];
const PRODUCT = { name: "Rooibos gift box", description: "Six blends, 240 g", amount: 249, taxInclusive: true };
const PACKAGE = { name: "Rooibos club", description: "A box of six blends at your door" };
const PLANS = [
  { code: "CLUB-MONTHLY", name: "Every month", amount: 199, frequency: "monthly", trialDays: 14, taxInclusive: true },
  { code: "CLUB-YEARLY", name: "A year", amount: 1990, frequency: "annually", setupFee: 50, taxInclusive: true },
];
const INVOICE = {
  customer: { externalReference: "DEMO-2" },
  externalReference: "DEMO-INVOICE-1",
  lines: [
    { description: "Rooibos gift box", quantity: 12, unitPrice: 216.52 },
    { description: "Delivery to Calvinia", quantity: 1, unitPrice: 180 },
  ],
  send: true,
};
const PAYMENT_LINK = {
  title: "Rooibos gift box",
  description: "Delivery included",
  amount: 249,
  externalReference: "DEMO-ORDER-1",
  singleUse: false,
};

async function newestPayUrl(services: Services, organisation: Organisation): Promise<string | null> {
  const { externalReference } = PAYMENT_LINK;
  const query = { externalReference, limit: 20 };
  const links = await services.db.read(organisation.id, (tx) => listLinksWithPayments(tx, query, 1));
  const open = links.find(({ active }) => active);
  return open ? hostedUrl({ ...services, organisation }, PAY_PAGE, open.id) : null;
}
