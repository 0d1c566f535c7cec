import type { StandInReply } from "../stand-in.ts";
import type { Intent, Subscription } from "./books.ts";
import { amountIn, type Fields, failed, invalid, type Line, missing, unix } from "./protocol.ts";

/* What Stripe refuses of sessions and changes. */

const DAY = 86_400;

/** Why a session with these lines is refused. */
export function sessionFault(fields: Fields, lines: readonly Line[], now: Date): StandInReply | null {
  const [mode = "", reference = ""] = [fields.get("mode"), fields.get("client_reference_id")];
  for (const name of ["success_url", "cancel_url"])
    if (!/^https?:\/\//.test(fields.get(name) ?? "")) return invalid("Not a valid URL", name);
  if (!["payment", "subscription"].includes(mode)) return invalid("Invalid mode", "mode");
  if (reference === "" || reference.length > 200) return invalid("Invalid client_reference_id", "client_reference_id");
  const recurring = lines.find(({ months }) => months !== null);
  if ((mode === "subscription") !== Boolean(recurring)) return invalid("The lines do not fit the mode", "line_items");
  if (
    mode === "subscription" &&
    [...fields.keys()].some((name) => /^(payment_intent_data|customer_creation)/.test(name))
  )
    return invalid("You can not pass it in subscription mode");
  const trialEnd = Number(fields.get("subscription_data[trial_end]") ?? 0);
  if (trialEnd !== 0 && trialEnd < unix(now) + 2 * DAY)
    return invalid("The trial_end has to be at least 2 days in the future", "subscription_data[trial_end]");
  return null;
}

/** Why a refund of a payment is refused of which so much is refunded already. */
export function refundFault(fields: Fields, { status, amount: paid }: Intent, refunded: number): StandInReply | null {
  const amount = fields.has("amount") ? amountIn(fields.get("amount")) : paid;
  if (amount === null) return invalid("Invalid integer", "amount");
  if (!["duplicate", "fraudulent", "requested_by_customer", undefined].includes(fields.get("reason")))
    return invalid("Invalid reason", "reason");
  if (status !== "succeeded") return invalid("This PaymentIntent does not have a successful charge to refund");
  const tooMuch = "Refund amount is greater than unrefunded amount on charge";
  return refunded + amount > paid ? failed(400, "invalid_request_error", tooMuch, { code: "amount_too_large" }) : null;
}

/** Why a change of a subscription is refused. */
export function updateFault(
  fields: Fields,
  { item, product, currency }: Pick<Subscription, "item" | "product" | "currency">,
  now: Date,
): StandInReply | null {
  const behavior = fields.get("pause_collection[behavior]");
  if (behavior !== undefined && !["void", "keep_as_draft", "mark_uncollectible"].includes(behavior))
    return invalid("Invalid behavior");
  const amount = fields.get("items[0][price_data][unit_amount]");
  if (amount !== undefined) {
    if (fields.get("items[0][id]") !== item) return invalid("No such subscription item", "items[0][id]");
    if (fields.get("items[0][price_data][product]") !== product) return missing("product");
    if (fields.get("items[0][price_data][currency]") !== currency || amountIn(amount) === null)
      return invalid("Invalid price");
    if (fields.get("items[0][price_data][recurring][interval]") === undefined) return invalid("Missing interval");
  }
  const trialEnd = fields.get("trial_end");
  if (trialEnd !== undefined) {
    if (Number(trialEnd) <= unix(now))
      return invalid("Invalid timestamp: must be an integer Unix time in the future", "trial_end");
  }
  return null;
}

/** Why a charge of a stored card is refused. */
export function chargeFault(fields: Fields): StandInReply | null {
  if (!/^[a-z]{3}$/.test(fields.get("currency") ?? "")) return invalid("Invalid currency", "currency");
  if (fields.get("off_session") !== "true" || fields.get("confirm") !== "true")
    return invalid("Confirm it off session");
  return null;
}
