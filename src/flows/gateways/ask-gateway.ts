import { GatewayFailed, GatewayNotReached, GatewayUnclear } from "../../gateways/http.ts";
import type { Services } from "../services.ts";
import { noteClear, noteUnclear } from "./health.ts";

/** The gateway gave no reliable answer: what was requested may or may not have happened. */
export type Unclear = "unclear";

/**
 * Whether the answer is a form that sends a payer to the gateway: the service makes it, so it is no answer of the
 * gateway.
 */
const isOwnForm = (answer: object | null): boolean => answer !== null && "kind" in answer && answer.kind === "form";

/**
 * Calls a gateway, outside of any transaction. When it cannot be reached, times out, fails or sends an unreadable
 * answer, returns `unclear` and logs a warning with `about`: ids that identify the call, no secret. `about.gateway` is
 * the account, whose health is recorded: a gateway that was not reached, failed, or cannot be read counts as failing;
 * one that answers without deciding the question does not. `notSent`: what is returned in place of `unclear` when
 * nothing was sent.
 */
export async function askGateway<Answer extends object | null>(
  services: Pick<Services, "log" | "db">,
  about: Readonly<Record<string, string>>,
  ask: () => Promise<Answer>,
  notSent?: () => Answer,
): Promise<Answer | Unclear> {
  const { gateway } = about;
  try {
    const answer = await ask();
    if (gateway !== undefined && !isOwnForm(answer)) await noteClear(services, gateway);
    return answer;
  } catch (error) {
    if (!(error instanceof GatewayUnclear)) throw error;
    services.log.warn({ ...about, why: error.message }, "a gateway gave no clear answer");
    if (gateway !== undefined && error instanceof GatewayFailed) await noteUnclear(services, gateway, error.message);
    return notSent && error instanceof GatewayNotReached ? notSent() : "unclear";
  }
}
