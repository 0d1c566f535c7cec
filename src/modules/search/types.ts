import type { Named } from "../../platform/schema.ts";

/** What was typed into the search, as it is compared with records. */
export type Search = Omit<Named, "customers">;
