import { z } from "zod";
import type { GatewayCall, NotificationReading, RawNotification, Refusal, VerifiedNotification } from "../contract.ts";
import { GatewayUnclear } from "../http.ts";
import { refused } from "../refusals.ts";
import { checkPayNow } from "./client.ts";
import { askAboutMandate } from "./mandates.ts";
import { payNowFact } from "./pay-now.ts";
import { MandatePostback, PayNowResult, reportedRand } from "./wire.ts";

/** What a message claims. Netcash signs nothing, so it is asked about each claim. */
const Claim = z.discriminatedUnion("about", [
  z.object({
    about: z.literal("payment"),
    trace: z.string(),
    reference: z.string(),
    amount: z.string(),
  }),
  z.object({ about: z.literal("mandate"), accountReference: z.string(), successful: z.boolean() }),
]);
type Claim = z.infer<typeof Claim>;

const claims = (claim: Claim): NotificationReading => ({ kind: "confirm", claim: JSON.stringify(claim) });

/** Netcash's traces and our references are printable, without spaces. */
const NAME = /^[\x21-\x7e]{1,100}$/;

/** Reads a form that Netcash posts: the result of a payment on its pages, or of an e-mandate. Never throws. */
export function readPostback({ rawBody }: Pick<RawNotification, "rawBody">): NotificationReading {
  const form = new URLSearchParams(Buffer.from(rawBody).toString());
  const fields = Object.fromEntries(form);
  if (form.size !== Object.keys(fields).length) return refused("A field is there twice.");
  const payment = PayNowResult.safeParse(fields).data;
  if (payment) {
    const { RequestTrace: trace, Reference: reference, Amount: amount } = payment;
    if (!NAME.test(trace) || !NAME.test(reference)) return refused("The trace or the reference is none of Netcash's.");
    return claims({ about: "payment", trace, reference, amount });
  }
  const mandate = MandatePostback.safeParse(fields).data;
  if (!mandate || !NAME.test(mandate.AccountRef)) return refused("The body is no message of Netcash.");
  const successful = mandate.MandateSuccessful.trim() === "1";
  return claims({ about: "mandate", accountReference: mandate.AccountRef, successful });
}

/**
 * Asks Netcash about a claim. A claim that Netcash does not confirm is refused; when Netcash has not decided yet, it is
 * unclear, so that it is sent again.
 */
export function confirmClaim(text: string, call: GatewayCall): Promise<VerifiedNotification | Refusal> {
  const claim = Claim.parse(JSON.parse(text));
  return claim.about === "payment" ? confirmPayment(claim, call) : confirmMandate(claim, call);
}

async function confirmPayment(
  claim: Extract<Claim, { about: "payment" }>,
  call: GatewayCall,
): Promise<VerifiedNotification | Refusal> {
  const answer = await checkPayNow(call, claim.trace);
  if (answer.kind === "absent") return refused("Netcash knows no payment with this trace.");
  if (answer.kind === "refused") throw new GatewayUnclear(`netcash: ${answer.reason}`);
  const { value } = answer;
  const isSame =
    value.RequestTrace === claim.trace &&
    value.Reference === claim.reference &&
    (value.Extra1 === undefined || value.Extra1 === "" || value.Extra1 === claim.reference) &&
    isSameAmount(value.Amount, claim.amount);
  if (!isSame) return refused("Netcash says something else of this payment.");
  const fact = payNowFact(value, call);
  return { kind: "verified", facts: fact ? [fact] : [] };
}

/** Compared as amounts, since `299` and `299.00` are equal. */
function isSameAmount(one: string, other: string): boolean {
  const [first, second] = [one, other].map(reportedRand);
  return first?.amount === second?.amount && first?.inexactAmount === second?.inexactAmount;
}

async function confirmMandate(
  { accountReference, successful }: Extract<Claim, { about: "mandate" }>,
  call: GatewayCall,
): Promise<VerifiedNotification | Refusal> {
  const fact = await askAboutMandate(accountReference, call);
  if (!fact) return refused("Netcash knows no mandate with this reference.");
  if (fact.kind === "waiting") throw new GatewayUnclear("netcash: the mandate is not decided yet");
  if ((fact.kind === "accepted") !== successful) return refused("Netcash says something else of this mandate.");
  return { kind: "verified", facts: [fact] };
}
