import type { HostedPage } from "../../platform/tokens.ts";

/** The address that counts a click and redirects to the partner (interface 4.13). */
export const REFERRAL_PAGE = { path: "refer", kind: "rfl" } as const satisfies HostedPage;
