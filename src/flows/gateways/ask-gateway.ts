import { GatewayUnclear } from "../../gateways/http.ts";
import type { Services } from "../services.ts";

/** The gateway gave no reliable answer: what was requested may or may not have happened. */
export type Unclear = "unclear";

/**
 * Calls a gateway, outside of any transaction. When it cannot be reached, times out, fails or sends an unreadable answer, returns
 * `unclear` and logs a warning with `about`: ids that identify the call, no secret.
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
