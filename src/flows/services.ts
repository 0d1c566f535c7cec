import type { GatewayAdapter } from "../gateways/contract.ts";
import type { OrganisationId } from "../kernel/ids.ts";
import type { Instant } from "../kernel/time.ts";
import type { Database } from "../platform/database.ts";
import type { Log } from "../platform/log.ts";
import type { Secrets } from "../platform/secrets.ts";

/** What use cases may reach beside their transaction; built once in `app/compose.ts`. */
export interface Services {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly log: Log;
  /** The spec's {base_url}, without a slash at the end. */
  readonly baseUrl: string;
  /** Mail is sent over SMTP; otherwise it is only recorded (contract 2). */
  readonly mailEnabled: boolean;
  /** Takes the place of a gateway's hosts; null: its real ones (contract 2, GATEWAY_URL_<TYPE>). */
  gatewayUrl(adapter: Pick<GatewayAdapter, "type" | "simulated">): string | null;
  /**
   * Runs what falls due for an organisation up to `until` by its own clock, in order, moving the clock along; answers how often each
   * kind of work ran (contract 4). The worker's work, handed in so that a dashboard route can call it.
   */
  runDue(organisation: OrganisationId, until: Instant): Promise<Record<string, number>>;
}
