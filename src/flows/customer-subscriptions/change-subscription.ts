import { ApiError, invalidField } from "../../kernel/errors.ts";
import { calendarDay } from "../../kernel/time.ts";
import {
  type ChangeOutcome,
  type ChangePreview,
  change,
  endingNote,
  type Proration,
} from "../../modules/customer-subscriptions/rules/planner/change.ts";
import { changesNothing } from "../../modules/customer-subscriptions/rules/planner/outcomes.ts";
import { ratedOn } from "../../modules/customer-subscriptions/rules/planner/terms.ts";
import type { Item, Subscription, Terms } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import { ALL_HELD } from "../../modules/customer-subscriptions/rules/planner/worth.ts";
import type { SubscriptionChangeBody } from "../../modules/customer-subscriptions/schema/changes.ts";
import { awaitedOf, isBilled } from "../../modules/customer-subscriptions/states.ts";
import { insertCreditEntries } from "../../modules/customer-subscriptions/store/credits.ts";
import { heldBillsOf } from "../../modules/customer-subscriptions/store/held-bills.ts";
import {
  findSubscriptionAlone,
  saveCustomerSubscription,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { CustomerSubscription, ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { currenciesOf, priceIn } from "../../modules/packages/rules.ts";
import type { Plan } from "../../modules/packages/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import {
  lockForAction,
  requireCollected,
  requireNotEnded,
  requireSubscription,
  updated,
} from "./act-on-subscription.ts";
import { type Applied, appendSubscriptionEvent, applyOutcome, creditEntries } from "./apply-outcome.ts";
import { itemsAsked, type NamedPlan, planField, planNamed, priceOf, requireBillable } from "./asked-terms.ts";
import { previewUpToDate } from "./bill-subscription.ts";
import { SUBSCRIPTION_PLAN_CHANGED, SUBSCRIPTION_UPDATED } from "./declarations.ts";

type ShownPlan = CustomerSubscription["plan"];

/**
 * A requested change. `items`: the complete new list, from a request body or made from the present items; null leaves
 * them as they are.
 */
export type RequestedChange = Omit<SubscriptionChangeBody, "items"> & {
  readonly items: SubscriptionChangeBody["items"] | ((known: readonly Item[]) => readonly Item[]);
};

interface PlannedChange {
  readonly outcome: ChangeOutcome;
  readonly preview: ChangePreview;
  /** The new plan. */
  readonly plan: ShownPlan;
}

/** The result of a change: `invoice` is the one that was made for it at once. */
export interface Changed {
  readonly before: ShownSubscription;
  readonly after: ShownSubscription;
  readonly preview: ChangePreview;
  readonly invoice: Invoice | null;
}

/**
 * Previews `changeSubscription` (decisions.md#previews-are-the-change); reads only (interface 4.8, preview-change).
 * Throws as `changeSubscription`.
 */
export async function previewChange(
  tx: Tx,
  ctx: Ctx,
  id: string,
  body: RequestedChange,
): Promise<{ subscription: CustomerSubscription; preview: ChangePreview }> {
  const found = requireSubscription(await findSubscriptionAlone(tx, id));
  const subscription = await previewUpToDate(tx, ctx, found);
  const { preview } = await planChange(tx, ctx, subscription, body);
  return { subscription, preview };
}

/**
 * Changes plan, quantity or items of a subscription, now or with its next renewal, and invoices the cost
 * (interface 4.8, 16.8, 16.9). A request that changes nothing stores and sends nothing, so that a change that is sent
 * twice is made once. Locks as `lockForAction`, and the invoice numbers, which also protects the plan
 * (decisions.md#invoice-numbers-before-subscriptions). Throws 404; 400 for a plan that does not exist, is disabled or
 * in another currency, for an invalid item, and for a total above the largest invoice; 409 `invalid_state` when the
 * subscription has ended or waits for its first payment; 409 `external_subscription` for items that only the service
 * could bill.
 */
export async function changeSubscription(tx: Tx, ctx: Ctx, id: string, body: RequestedChange): Promise<Changed> {
  const before = await lockForAction(tx, ctx, id);
  lockNumbers(tx, "invoice");
  const { outcome, preview, plan } = await planChange(tx, ctx, before, body);
  if (changesNothing(ratedOn(before.state, calendarDay(ctx.now)).sub, outcome))
    return { before, after: before, preview, invoice: null };
  const { after, made } = isBilled(before)
    ? await applyOutcome(tx, ctx, before, outcome)
    : recorded(tx, ctx, before, preview.proration === "next_renewal" ? before.plan : plan, outcome);
  const invoice = made[0]?.invoice ?? null;
  appendSubscriptionEvent(
    tx,
    ctx,
    preview.proration === "next_renewal" ? SUBSCRIPTION_UPDATED : SUBSCRIPTION_PLAN_CHANGED,
    after,
    invoice,
  );
  return { before, after, preview, invoice };
}

/** Stores a change of a subscription that is not billed now: its status stays, and no bill is made. */
function recorded(tx: Tx, ctx: Ctx, before: ShownSubscription, plan: ShownPlan, outcome: ChangeOutcome): Applied {
  const after = { ...before, plan, state: outcome.after, updatedAt: ctx.now };
  saveCustomerSubscription(tx, after);
  insertCreditEntries(tx, creditEntries(after, outcome), ctx.now);
  return { after, made: [] };
}

/**
 * Removes the change that waits for the next renewal, if there is one (interface 4.8, pending-change). Locks as
 * `lockForAction`. Throws 404.
 */
export async function removePendingChange(
  tx: Tx,
  ctx: Ctx,
  id: string,
): Promise<{ before: ShownSubscription; after: ShownSubscription }> {
  const before = await lockForAction(tx, ctx, id);
  if (before.state.pendingChange === null) return { before, after: before };
  return { before, after: updated(tx, ctx, before, { ...before.state, pendingChange: null }) };
}

/** The planned change of a subscription that was brought up to date. */
async function planChange(tx: Tx, ctx: Ctx, of: CustomerSubscription, body: RequestedChange): Promise<PlannedChange> {
  const { plan, terms } = await termsAsked(tx, of, body);
  requireNotEnded(of);
  if (of.status === "pending")
    throw new ApiError("invalid_state", 409, `The subscription cannot be changed yet. ${awaitedOf(of)}`);
  if (terms.items.some(({ kind }) => kind !== "addon")) requireCollected(of);
  const asked = body.proration ?? "none";
  const note = asked === "now" ? whyNotNow(of) : null;
  const proration: Proration = note === null ? asked : "none";
  const isPaused = of.status === "paused";
  const wanted = { terms, proration, invoiceNow: body.invoiceNow, creditId: newId("csd"), isPaused };
  const held = proration === "now" ? await heldBillsOf(tx, of) : ALL_HELD;
  const outcome = change(of.state, wanted, calendarDay(ctx.now), held);
  requireBillable(outcome);
  // The service never expires a subscription that another platform bills.
  const ends = of.collectionMethod !== "external" || of.state.cancelAtPeriodEnd;
  const preview = {
    ...outcome.preview,
    requestedProration: asked,
    note: [note, outcome.preview.note, ends ? endingNote(outcome) : null].filter((one) => one).join(" ") || null,
    nextInvoice: isBilled(of) ? outcome.preview.nextInvoice : null,
  };
  return { outcome, preview, plan };
}

/** Why a change of this subscription never costs anything; null when it may. */
const whyNotNow = ({ collectionMethod }: CustomerSubscription): string | null =>
  collectionMethod === "external"
    ? "Another platform bills the subscription: nothing is charged or credited here."
    : null;

/** The terms after the changes of a request body; an absent field does not change. */
async function termsAsked(
  tx: Tx,
  { collectionMethod, plan: present, state }: CustomerSubscription,
  body: RequestedChange,
): Promise<{ plan: ShownPlan; terms: Terms }> {
  // Plans of subscriptions that another platform bills need not be sold here.
  const isAllowed = ({ id }: Plan) => id === present.id || collectionMethod === "external";
  const { plan, price } = await priceAsked(tx, present, state.terms.price, body, isAllowed);
  return {
    plan,
    terms: { price, quantity: body.quantity ?? state.terms.quantity, items: itemsWanted(body, state) },
  };
}

/**
 * The new items. An item of the change that waits for the next renewal counts as known when the new change waits for it
 * too.
 */
function itemsWanted(
  { items, proration }: Pick<RequestedChange, "items" | "proration">,
  { terms: { items: known }, pendingChange }: Subscription,
): readonly Item[] {
  if (items === null) return known;
  if (typeof items === "function") return items(known);
  const waiting = proration === "next_renewal" ? (pendingChange?.items ?? []) : [];
  const listed = itemsAsked(items, [...known, ...waiting.filter(({ id }) => known.every((item) => item.id !== id))]);
  // A credit belongs to the payer: a list that omits it does not take it back.
  const credited = known.filter(({ kind, unitAmount }) => kind === "one_time" && unitAmount.startsWith("-"));
  return [...listed, ...credited.filter(({ id }) => listed.every((item) => item.id !== id))];
}

/**
 * The price of the named plan. A subscription may keep its own plan, even when it is disabled, at the plan's present
 * price. `isAllowed` says which disabled plans are permitted.
 */
async function priceAsked(
  tx: Tx,
  present: ShownPlan,
  price: Terms["price"],
  named: NamedPlan,
  isAllowed: (plan: Plan) => boolean,
) {
  if (named.planId === null && named.plan === null) return { plan: present, price };
  const { plan, parent } = await planNamed(tx, named, isAllowed);
  const inCurrency = priceIn(plan, price.currency);
  if (!inCurrency)
    throw invalidField(
      [planField(named)],
      `The plan is in ${currenciesOf(plan).join(" and ")}, the subscription in ${price.currency}.`,
    );
  return {
    plan: { id: plan.id, name: plan.name, packageId: parent.id, packageName: parent.name },
    price: priceOf(plan, inCurrency),
  };
}
