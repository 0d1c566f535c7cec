import { ApiError, invalid, notFound } from "../../kernel/errors.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { addSeconds } from "../../kernel/time.ts";
import { CARD_SETUP_EXPIRE } from "../../modules/card-setups/declarations.ts";
import { type CardSetupCreateBody, DEFAULT_MINUTES } from "../../modules/card-setups/schema.ts";
import { insertCardSetup } from "../../modules/card-setups/store.ts";
import type { CardSetup } from "../../modules/card-setups/types.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { newId } from "../../platform/new-id.ts";
import { checkReturnUrl } from "../check-return-url.ts";
import type { Ctx } from "../context.ts";
import { refuseErased } from "../customers/identified-customer.ts";
import { type SetupFor, setupGateways } from "../gateways/card-gateways.ts";

/**
 * Creates a set-up session by API (interface 4.11). Throws 400 for a `returnUrl` that is not allowed and for an
 * inactive customer, 404 for an unknown one, 409 `invalid_state` for an erased one, 409 `card_setup_unavailable` when
 * no gateway can save a card.
 */
export async function createCardSetup(
  tx: Tx,
  ctx: Ctx,
  customerId: string,
  body: CardSetupCreateBody,
): Promise<CardSetup> {
  const returnUrl = await checkReturnUrl(tx, ctx, body.returnUrl);
  const customer = await findCustomer(tx, customerId);
  if (!customer) throw notFound("customer");
  await refuseErased(tx, customer);
  if (!customer.active)
    throw invalid("The customer is inactive, so no card is set up for them. Activate the customer first.");
  return openCardSetup(tx, ctx, customer.id, {
    returnUrl,
    makeDefault: body.makeDefault,
    metadata: body.metadata ?? {},
    minutes: body.expiresInMinutes ?? DEFAULT_MINUTES,
    use: "card",
  });
}

/** The terms of a new session; `minutes` until it expires. */
type Terms = Pick<CardSetup, "returnUrl" | "makeDefault" | "metadata"> & {
  readonly minutes: number;
};

const CANNOT: Readonly<Record<SetupFor, string>> = {
  card: "save cards",
  migration: "save cards and charge them",
  migration_at_gateway: "begin a subscription by the payment that saves the card",
};

/** Creates a set-up session as `insertSetup` does. Throws 409 `card_setup_unavailable`. */
export async function openCardSetup(
  tx: Tx,
  ctx: Ctx,
  customerId: CustomerId,
  { use, ...terms }: Terms & { readonly use: SetupFor },
): Promise<CardSetup> {
  await requireSetupGateway(tx, ctx, use);
  return insertSetup(tx, ctx, customerId, terms);
}

/** Throws 409 `card_setup_unavailable` when no gateway can make the payment of a set-up. */
export async function requireSetupGateway(tx: Tx, ctx: Ctx, use: SetupFor): Promise<void> {
  if ((await setupGateways(tx, ctx, use)).length === 0)
    throw new ApiError(
      "card_setup_unavailable",
      409,
      `No enabled gateway of this account can ${CANNOT[use]}. Enable one under Settings, Gateways.`,
    );
}

/** Inserts a set-up session, with the due work that expires it. */
export function insertSetup(tx: Tx, ctx: Ctx, customerId: CustomerId, { minutes, ...terms }: Terms): CardSetup {
  const setup: CardSetup = {
    ...terms,
    id: newId("cset"),
    customerId,
    status: "pending",
    cardId: null,
    failureReason: null,
    expiresAt: addSeconds(ctx.now, minutes * 60),
    completedAt: null,
    createdAt: ctx.now,
  };
  insertCardSetup(tx, setup);
  enqueue(tx, CARD_SETUP_EXPIRE, setup.id, setup.expiresAt);
  return setup;
}
