import type { HostedPage } from "../../platform/tokens.ts";

/** The first segment of a link's short address, which leads to its page. */
export const SHORT_PATH = "p";

/** The hosted page on which a link is paid (interface 2.3). */
export const PAY_PAGE = { path: "pay", kind: "plink" } as const satisfies HostedPage;
