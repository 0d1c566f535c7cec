import type { GatewayAdapter } from "../gateways/contract.ts";
import type { GatewayHttp } from "../gateways/http.ts";
import type { OrganisationId } from "../kernel/ids.ts";
import type { Instant } from "../kernel/time.ts";
import type { Database } from "../platform/database.ts";
import type { Log } from "../platform/log.ts";
import type { Installation } from "./context.ts";
import type { FileReader } from "./file-reader.ts";
import type { Renderer } from "./renderer.ts";

/** For use cases that open transactions themselves, or call gateways or the worker. Built once, in `app/compose.ts`. */
export interface Services extends Installation {
  readonly db: Database;
  /** Whether organisations that people create themselves are on trial (interface 11.1, PLANS). */
  readonly plans: boolean;
  readonly log: Log;
  readonly renderer: Renderer;
  readonly fileReader: FileReader;
  /** How adapters of gateways and messaging providers send requests; a simulation has a network of its own. */
  readonly gatewayHttp: GatewayHttp;
  /** The URL that replaces a gateway's own; null when nothing replaces it (interface 11.1, GATEWAY_URL_<TYPE>). */
  gatewayUrl(adapter: Pick<GatewayAdapter, "type" | "simulated">): string | null;
  /**
   * The addresses from which a gateway sends notifications; null for those that it publishes (interface 11.1,
   * GATEWAY_SOURCES_<TYPE>).
   */
  gatewaySources(type: string): readonly string[] | null;
  /**
   * Runs the due work of an organisation up to `until` by its own clock, in order, and moves the clock with it; returns
   * how often each kind of work ran (interface 13.1). The worker implements it and passes it in, since flows may not
   * import the worker.
   */
  runDue(organisation: OrganisationId, until: Instant): Promise<Record<string, number>>;
}
