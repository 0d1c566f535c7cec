import type { Codes, Software } from "./types.ts";

/** Interface 18.8, accounting software. */
export const softwareView = (software: Software, codes: Codes) => ({
  object: "accounting_software" as const,
  software,
  ...codes,
});
