import type { GatewayCall } from "../contract.ts";
import type { PaymentFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { ask } from "./client.ts";
import { processFact } from "./facts.ts";
import { Process } from "./wire.ts";

/** Asks the gateway about a payment by its own id; null when it does not know that. Throws `GatewayUnclear`. */
export async function findProcessed(
  { reference, providerRef }: { readonly reference: string; readonly providerRef: string },
  call: GatewayCall,
): Promise<PaymentFact | null> {
  const path = `/process/query/${encodeURIComponent(providerRef)}`;
  const answer = await ask(call, { method: "GET", path }, Process);
  if (answer.kind === "absent") return null;
  const fact = answer.kind === "answer" ? processFact(answer.value, { reference, providerRef }) : null;
  if (fact) return fact;
  throw new GatewayUnclear(`PayFast: ${answer.kind === "refused" ? answer.reason : "an amount that cannot be read"}`);
}
