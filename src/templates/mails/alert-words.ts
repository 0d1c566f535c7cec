import type { Instant } from "../../kernel/time.ts";
import type { Block } from "./layout.ts";

/** The facts that every alert to staff shows. */
export interface AlertFacts {
  readonly organisationName: string;
  readonly sandbox: boolean;
  readonly reference: string;
  readonly at: Instant;
  /** URL in the dashboard. */
  readonly url: string;
}

/** The text of an alert. */
export interface AlertWords {
  readonly subject: string;
  readonly heading: string;
  readonly paragraph: string;
  readonly rows: (Block & { kind: "facts" })["rows"];
  readonly note: string;
}
