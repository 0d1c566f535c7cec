import { dueWork } from "../../platform/due-work.ts";
import type { HostedPage } from "../../platform/tokens.ts";

/** Ends a session on which nobody has saved a card. */
export const CARD_SETUP_EXPIRE = dueWork("card_setup.expire");

/** Where a customer adds a card (interface 2.9). */
export const CARD_PAGE = { path: "card", kind: "cset" } as const satisfies HostedPage;
