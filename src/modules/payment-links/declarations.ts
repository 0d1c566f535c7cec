import type { HostedPage } from "../../platform/tokens.ts";

/** The hosted page on which a link is paid (interface 2.3). */
export const PAY_PAGE = { path: "pay", kind: "plink" } as const satisfies HostedPage;
