import { GatewayUnclear } from "../../gateways/http.ts";
import type { Services } from "../services.ts";

/** The gateway said nothing that can be relied on: what was asked for may or may not have happened. */
export type Unclear = "unclear";

/**
 * One question to a gateway, outside of any transaction. A gateway that is not reached, takes too long, fails or answers what cannot be read
 * is unclear, and logged once with `about`: ids that name the question, no secret.
 */
export async function askGateway<Answer extends object | null>(
  { log }: Pick<Services, "log">,
  about: Readonly<Record<string, string>>,
  ask: () => Promise<Answer>,
): Promise<Answer | Unclear> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof GatewayUnclear)) throw error;
    log.warn({ ...about, why: error.message }, "a gateway gave no clear answer");
    return "unclear";
  }
}
