import type { Invoice } from "../../modules/invoices/types.ts";
import { invoiceView } from "../../modules/invoices/view.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { hostedUrl } from "../hosted-links.ts";
import type { Services } from "../services.ts";

/** The hosted page that collects what is open of an invoice; null when it has no link. */
export const invoicePayUrl = (services: Services, organisation: Organisation, invoice: Invoice): string | null =>
  invoice.payLinkId && hostedUrl(services, organisation, "pay", invoice.payLinkId);

/** Spec 2.5, as the API and the events show it. */
export const invoiceObject = (services: Services, organisation: Organisation, invoice: Invoice) =>
  invoiceView(invoice, invoicePayUrl(services, organisation, invoice));
