import type { Frequency } from "../../kernel/frequency.ts";
import { MONTHS } from "../../kernel/frequency.ts";
import { addMonths, calendarDay } from "../../kernel/time.ts";
import type { GatewayCall, StartedPayment, StartPaymentRequest, SubscriptionAbility } from "../contract.ts";
import { ask, find } from "./client.ts";
import { subscriptionFact } from "./facts.ts";
import * as wire from "./wire.ts";

const SCOPE = "client_recurringpaymentconsentrequest";

/** Stitch requires an end; this one is later than any subscription lasts. */
const MONTHS_AT_MOST = 240;
const NAME_MAX = 40;

/** Starts a subscription with its first payment. Stitch allows it to approved merchants only; others get a refusal. */
export async function startSubscription(
  request: StartPaymentRequest,
  recurring: NonNullable<StartPaymentRequest["recurring"]>,
  payerName: string,
  call: GatewayCall,
): Promise<StartedPayment> {
  const { reference, amount, payer, returnUrl } = request;
  if (!payer.email) return { kind: "refused", reason: "Stitch needs the payer's email address for a subscription." };
  const { frequency } = recurring;
  const first = recurring.nextChargeOn ?? addMonths(calendarDay(call.now), MONTHS[frequency]);
  const body = {
    amount: recurring.amount,
    initialAmount: amount,
    merchantReference: reference,
    startDate: `${first}T00:00:00.000Z`,
    endDate: `${addMonths(first, MONTHS_AT_MOST)}T00:00:00.000Z`,
    payerFullName: Array.from(payerName).slice(0, NAME_MAX).join(""),
    email: payer.email,
    payerId: reference,
    merchantRedirectUrl: returnUrl,
    recurrence: recurrenceOf(frequency, first),
  };
  const answer = await ask(call, SCOPE, { method: "POST", path: "/subscriptions", body }, wire.CreatedSubscription);
  if (answer.kind === "refused") return answer;
  if (answer.kind === "absent") return { kind: "refused", reason: "Stitch offers no subscriptions to this account." };
  const { id, url = answer.value.link } = answer.value;
  if (!url) return { kind: "refused", reason: "Stitch named no page on which the payer authorises the subscription." };
  return { kind: "redirect", url, checkoutRef: id };
}

/** The recurrence in Stitch's terms; `first` is the day (YYYY-MM-DD) of the first later collection. */
function recurrenceOf(frequency: Frequency, first: string) {
  const [byMonth, byMonthDay] = first.slice(5).split("-").map(Number);
  return frequency === "annually"
    ? { frequency: "Yearly", interval: 1, byMonth, byMonthDay }
    : { frequency: "Monthly", interval: MONTHS[frequency], byMonthDay };
}

/** A subscription by our reference or by Stitch's id; null when it is not among those that Stitch lists. */
export async function findSubscription(name: string, call: GatewayCall) {
  const listed = await find(call, SCOPE, "/subscriptions", wire.Subscriptions);
  return listed?.subscriptions.find(({ id, merchantReference }) => id === name || merchantReference === name) ?? null;
}

/** Subscriptions that Stitch runs can be cancelled only. */
export const subscriptions: SubscriptionAbility = {
  async cancel(handle, call) {
    const id = handle.startsWith("TEFO-") ? (await findSubscription(handle, call))?.id : handle;
    if (!id) return { kind: "refused", reason: "Stitch does not list this subscription." };
    const path = `/subscriptions/${encodeURIComponent(id)}/cancel`;
    const answer = await ask(call, SCOPE, { method: "POST", path }, wire.Anything);
    // A subscription that Stitch does not know is cancelled.
    return answer.kind === "refused" ? answer : { kind: "done", nextChargeOn: null };
  },
  async query({ key, handle }, call) {
    const found = (await findSubscription(key, call)) ?? (handle ? await findSubscription(handle, call) : null);
    return found && subscriptionFact(found, key);
  },
};
