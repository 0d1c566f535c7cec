import type { Instant } from "../../kernel/time.ts";
import type { Block } from "./layout.ts";

/** What every alert to staff says. */
export interface AlertFacts {
  readonly organisationName: string;
  readonly sandbox: boolean;
  readonly reference: string;
  readonly at: Instant;
  /** URL in the dashboard. */
  readonly url: string;
}

/** An alert in words. */
export interface AlertWords {
  readonly subject: string;
  readonly heading: string;
  readonly paragraph: string;
  readonly rows: (Block & { kind: "facts" })["rows"];
  readonly note: string;
}
