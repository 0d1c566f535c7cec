import { decimalOf } from "../../kernel/decimal.ts";
import { ApiError, invalid } from "../../kernel/errors.ts";
import { type Cents, toDecimalText } from "../../kernel/money.ts";
import type { ChangePreview } from "../../modules/customer-subscriptions/rules/planner/change.ts";
import type { Item } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import { ITEMS_MAX } from "../../modules/customer-subscriptions/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import {
  changeSubscription,
  previewChange,
  type RequestedChange,
} from "../customer-subscriptions/change-subscription.ts";
import { actAsCustomer, readAsCustomer } from "../portal-access/portal-session.ts";
import type { Services } from "../services.ts";
import { type PortalSubscription, requireAllowed } from "./portal-subscriptions.ts";

/** A customer's request: another plan, or a quantity of an add-on, named by its product's id; zero removes it. */
export type AskedChange = { readonly planId: string } | { readonly addOn: string; readonly quantity: number };

/** The effect and cost of a change, with a text that identifies this offer. */
export interface Offer {
  readonly preview: ChangePreview;
  /** The name of what the customer requested. */
  readonly name: string;
  readonly seal: string;
}

/** Previews the cost of a change today. Null when nobody is signed in. Throws 400, 403, 404, 409. */
export const previewPortalChange = (
  services: Services,
  ctx: Ctx,
  session: string,
  id: string,
  asked: AskedChange,
): Promise<Offer | null> =>
  readAsCustomer(
    services,
    ctx,
    session,
    async (tx, customer) => (await offerOf(tx, ctx, { customerId: customer.id, id }, asked)).offer,
  );

/**
 * Changes a subscription as it was previewed. False, without a change, when the cost has changed. Null when nobody is
 * signed in. Throws 400, 403, 404, 409.
 */
export const changePortalSubscription = (
  services: Services,
  ctx: Ctx,
  session: string,
  id: string,
  { asked, seal }: { readonly asked: AskedChange; readonly seal: string },
): Promise<boolean | null> =>
  actAsCustomer(services, ctx, session, async (tx, customer) => {
    const { offer, wanted } = await offerOf(tx, ctx, { customerId: customer.id, id }, asked);
    if (offer.seal !== seal) return false;
    await changeSubscription(tx, ctx, id, wanted);
    return true;
  });

async function offerOf(
  tx: Tx,
  ctx: Ctx,
  { customerId, id }: { readonly customerId: string; readonly id: string },
  asked: AskedChange,
): Promise<{ readonly offer: Offer; readonly wanted: RequestedChange }> {
  const found = await requireAllowed(tx, ctx, customerId, id, "planId" in asked ? "change" : "addOns");
  const { name, change } = "planId" in asked ? planWanted(found, asked.planId) : addOnWanted(found, asked);
  const wanted: RequestedChange = { ...NOTHING_ELSE, ...change };
  const { preview } = await previewChange(tx, ctx, id, wanted);
  const { next, prorationInvoice: costs, nextInvoice } = preview;
  const sums: Cents[] = [costs?.dueNow, costs?.creditToNextRenewal, nextInvoice?.total].map((sum) => sum ?? NONE);
  return { offer: { preview, name, seal: [next.price.id, ...sums].join(" ") }, wanted };
}

const NONE = 0 as Cents;
const NOTHING_ELSE = {
  planId: null,
  plan: null,
  quantity: null,
  items: null,
  proration: "now",
  invoiceNow: true,
} as const satisfies RequestedChange;

interface ResolvedChange {
  readonly name: string;
  readonly change: Partial<RequestedChange>;
}

function planWanted({ plans }: PortalSubscription, planId: string): ResolvedChange {
  const plan = plans.find(({ id }) => id === planId);
  if (!plan) throw new ApiError("invalid_request", 400, "Choose one of the plans.");
  return { name: plan.name, change: { planId } };
}

/** An add-on that is already part of the subscription keeps its amount. */
function addOnWanted(
  { addOns: { current, offered }, subscription }: PortalSubscription,
  { addOn, quantity }: { readonly addOn: string; readonly quantity: number },
): ResolvedChange {
  const present = current.find(({ code }) => code === addOn);
  const product = offered.find(({ id }) => id === addOn);
  const amount = decimalOf(String(quantity));
  if (present) {
    if (present.quantity === amount) throw invalid(`You have ${quantity} of it already.`);
    const edited = (): Item[] => (quantity === 0 ? [] : [{ ...present, quantity: amount }]);
    return {
      name: present.description,
      change: { items: (known) => known.flatMap((item) => (item.id === present.id ? edited() : [item])) },
    };
  }
  if (!product) throw new ApiError("invalid_request", 400, "Choose one of the add-ons.");
  if (quantity === 0) throw invalid("Write how many you want.");
  if (subscription.state.terms.items.length >= ITEMS_MAX)
    throw invalid("The subscription has no room for more add-ons.");
  const item: Item = {
    id: newId("csi"),
    kind: "addon",
    code: product.id,
    description: product.name,
    unitAmount: decimalOf(toDecimalText(product.amount)),
    quantity: amount,
  };
  return { name: product.name, change: { items: (known) => [...known, item] } };
}
