import { type Cents, sum } from "../../kernel/money.ts";
import { balanceOf } from "../../modules/books/store.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import { openLinksOfCustomer } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import { listTransactions } from "../../modules/payments/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { customerOfSession } from "../../modules/portal/store.ts";
import { readSecretToken } from "../../platform/tokens.ts";
import { BOOKS_CURRENCY, type Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";
import { payabilityNow } from "../payments/payability.ts";
import type { Services } from "../services.ts";

const PAYMENTS_SHOWN = 20;

interface Sum {
  readonly amount: Cents;
  readonly currency: string;
}

/** What a customer sees of their account. */
export interface PortalFacts {
  readonly customer: Customer;
  readonly settings: Settings;
  /** Newest first; not every one can be paid online right now. */
  readonly open: readonly { readonly link: PaymentLink; readonly payable: boolean }[];
  readonly totals: readonly Sum[];
  readonly credits: readonly Sum[];
  readonly payments: readonly Transaction[];
}

/** Null when the session is none, is over, or is another organisation's. */
export async function readPortal(services: Services, ctx: Ctx, session: string): Promise<PortalFacts | null> {
  const { organisation, now } = ctx;
  const claim = readSecretToken(session);
  if (claim?.organisation !== organisation.id) return null;
  return services.db.read(organisation.id, async (tx) => {
    const customerId = await customerOfSession(tx, claim.hash, now);
    if (!customerId) return null;
    const [customer, settings, links, payments] = await Promise.all([
      findCustomer(tx, customerId),
      currentSettings(tx),
      openLinksOfCustomer(tx, customerId, now),
      listTransactions(tx, { customerId, limit: PAYMENTS_SHOWN }),
    ]);
    if (!customer) return null;
    const payabilityOf = await payabilityNow(tx, ctx, links);
    const currencies = currenciesOf([{ currency: BOOKS_CURRENCY }, ...payments]);
    const credits = await Promise.all(
      currencies.map(async (currency) => ({ currency, amount: (await balanceOf(tx, customerId, currency)).credit })),
    );
    return {
      customer,
      settings,
      open: links.map((link) => ({ link, payable: payabilityOf(link).unavailable === null })),
      totals: currenciesOf(links).map((currency) => ({
        currency,
        amount: sum(links.filter((link) => link.currency === currency).map(({ amount }) => amount)),
      })),
      credits: credits.filter(({ amount }) => amount > 0),
      payments,
    };
  });
}

const currenciesOf = (items: readonly { readonly currency: string }[]): string[] => [
  ...new Set(items.map(({ currency }) => currency)),
];
