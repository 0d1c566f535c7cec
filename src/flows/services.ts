import type { GatewayAdapter } from "../gateways/contract.ts";
import type { OrganisationId } from "../kernel/ids.ts";
import type { Instant } from "../kernel/time.ts";
import type { Database } from "../platform/database.ts";
import type { Log } from "../platform/log.ts";
import type { Installation } from "./context.ts";
import type { Renderer } from "./renderer.ts";

/** For use cases that open transactions of their own, or call others: gateways, the worker. Built once in `app/compose.ts`. */
export interface Services extends Installation {
  readonly db: Database;
  readonly log: Log;
  readonly renderer: Renderer;
  /** Takes the place of a gateway's hosts; null: its real ones (interface 11.1, GATEWAY_URL_<TYPE>). */
  gatewayUrl(adapter: Pick<GatewayAdapter, "type" | "simulated">): string | null;
  /**
   * Runs what falls due for an organisation up to `until` by its own clock, in order, moving the clock along; answers how often each
   * kind of work ran (interface 13.1). The worker's work, handed in so that a dashboard route can call it.
   */
  runDue(organisation: OrganisationId, until: Instant): Promise<Record<string, number>>;
}
