import pg from "pg";
import { EXAMINATIONS } from "../../src/catalogue.ts";
import type { Ctx } from "../../src/flows/context.ts";
import type { Services } from "../../src/flows/services.ts";
import { type Fault, verifyOrganisation } from "../../src/flows/verify/verify-organisation.ts";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import type { Examination } from "../../src/platform/examined.ts";
import { addCards } from "./card-organisation.ts";
import { addCatalogue } from "./catalogue-organisation.ts";
import { addCharges } from "./charged-cards.ts";
import { addCheckouts } from "./checkout-organisation.ts";
import { addCustomerSubscriptions } from "./customer-subscription-organisation.ts";
import { cloneDatabase } from "./database.ts";
import { addDisputes } from "./disputed-organisation.ts";
import { addExternals } from "./external-organisation.ts";
import { addInvoices } from "./invoiced-organisation.ts";
import { addMandates } from "./mandate-organisation.ts";
import { addMessages } from "./messaged-organisation.ts";
import { makePaidOrganisation, openServices } from "./paid-organisation.ts";
import { addReconciliation } from "./reconciled-organisation.ts";
import { addSubscriptions } from "./subscribed-organisation.ts";

/** An organisation with records of every kind, in a database that is changed behind the product's back. */
export interface ExaminedOrganisation {
  /** Of its database, for the superuser. */
  readonly url: string;
  readonly services: Services;
  readonly organisation: Organisation;
  /** Runs SQL without row level security and triggers. */
  rows(text: string): Promise<Record<string, unknown>[]>;
  /** What `verify` finds. As the product runs it, unless something is given. */
  verify(given?: {
    readonly firstRows?: number;
    readonly partRows?: number;
    readonly examinations?: readonly Examination[];
  }): Promise<{ readonly checked: number; readonly faults: readonly Fault[] }>;
  close(): Promise<void>;
}

/** Makes an organisation with records of every kind by the product's own flows. */
export async function makeExaminedOrganisation(services: Services): Promise<Ctx> {
  const ctx = await makePaidOrganisation(services);
  await addInvoices(services, ctx);
  await addReconciliation(services, ctx);
  await addCards(services, ctx);
  await addMandates(services, ctx);
  await addCharges(services, ctx);
  await addSubscriptions(services, ctx);
  await addCatalogue(services, ctx);
  await addCustomerSubscriptions(services, ctx);
  await addExternals(services, ctx);
  await addCheckouts(services, ctx);
  await addDisputes(services, ctx);
  await addMessages(services, ctx);
  return ctx;
}

/** Makes such an organisation in a database of its own. */
export async function openExaminedOrganisation(): Promise<ExaminedOrganisation> {
  const { url } = await cloneDatabase();
  const services = openServices(url);
  const { organisation } = await makeExaminedOrganisation(services);
  const superuser = new pg.Client({ connectionString: url });
  await superuser.connect();
  await superuser.query("set session_replication_role = replica");
  return {
    url,
    services,
    organisation,
    rows: async (text) => (await superuser.query<Record<string, unknown>>(text)).rows,
    async verify(given) {
      let checked = 0;
      const faults: Fault[] = [];
      for await (const part of verifyOrganisation(services, organisation, given?.examinations ?? EXAMINATIONS, given)) {
        checked += part.rows;
        faults.push(...part.faults);
      }
      return { checked, faults };
    },
    async close() {
      await superuser.end();
      await services.db.close();
    },
  };
}
