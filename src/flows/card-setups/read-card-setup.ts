import { notFound } from "../../kernel/errors.ts";
import type { CardSetupId } from "../../kernel/ids.ts";
import { CARD_PAGE } from "../../modules/card-setups/declarations.ts";
import { asOf } from "../../modules/card-setups/states.ts";
import { findCardSetup } from "../../modules/card-setups/store.ts";
import type { CardSetup } from "../../modules/card-setups/types.ts";
import { cardSetupView } from "../../modules/card-setups/view.ts";
import { findCard } from "../../modules/cards/store.ts";
import type { Card } from "../../modules/cards/types.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import { migrationOfSetup } from "../../modules/subscription-migrations/store.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, isReadOnlyNow } from "../context.ts";
import type { Gateway } from "../gateways/accounts.ts";
import { setupFor, setupGateways } from "../gateways/card-gateways.ts";
import { hostedUrl } from "../hosted-links.ts";
import { currentSettings } from "../organisations/settings.ts";
import { monthlyLimitReached } from "../payments/monthly-limit.ts";
import type { Services } from "../services.ts";

/** A session of that customer, with its present status. Throws 404. */
export async function cardSetupOf(tx: Tx, { now }: Ctx, customerId: string, id: string): Promise<CardSetup> {
  const setup = await findCardSetup(tx, id);
  if (setup?.customerId !== customerId) throw notFound("card setup session");
  return asOf(setup, now);
}

/** Why nobody can add a card on the page now. */
export type CardSetupUnavailable = "completed" | "expired" | "account" | "customer" | "quota" | "gateway";

/** The facts on the hosted page of a session. */
export interface CardPageFacts {
  /** The session, with its present status. */
  readonly setup: CardSetup;
  /** The saved card. */
  readonly card: Card | null;
  readonly customer: Customer | null;
  readonly settings: Settings;
  readonly gateways: readonly Gateway[];
  readonly unavailable: CardSetupUnavailable | null;
}

/** Reads the page's facts. Null when there is no such session. */
export function readCardPage(services: Services, ctx: Ctx, id: CardSetupId): Promise<CardPageFacts | null> {
  return services.db.read(ctx.organisation.id, async (tx) => {
    const [found, settings, gateways, limitReached] = await Promise.all([
      findCardSetup(tx, id),
      currentSettings(tx),
      migrationOfSetup(tx, id).then((migration) => setupGateways(tx, ctx, setupFor(migration))),
      monthlyLimitReached(tx, ctx),
    ]);
    if (!found) return null;
    const setup = asOf(found, ctx.now);
    const [customer, card] = await Promise.all([
      findCustomer(tx, setup.customerId),
      setup.cardId ? findCard(tx, setup.cardId) : null,
    ]);
    const unavailable = whyUnavailable(ctx, setup, { customer, gateways, limitReached });
    return { setup, card, customer, settings, gateways, unavailable };
  });
}

/** Why no card can be added on the page; null while one can. */
export function whyUnavailable(
  ctx: Ctx,
  { status }: CardSetup,
  { customer, gateways, limitReached }: Pick<CardPageFacts, "customer" | "gateways"> & { limitReached: boolean },
): CardSetupUnavailable | null {
  if (status !== "pending") return status;
  if (isReadOnlyNow(ctx)) return "account";
  if (customer?.active === false) return "customer";
  if (limitReached) return "quota";
  return gateways.length > 0 ? null : "gateway";
}

/** The session as the API shows it (interface 2.9). */
export const cardSetupObject = (ctx: Ctx, setup: CardSetup) =>
  cardSetupView(setup, hostedUrl(ctx, CARD_PAGE, setup.id));
