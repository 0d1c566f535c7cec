import { dueWork } from "../../platform/due-work.ts";
import type { HostedPage } from "../../platform/tokens.ts";

/** Gives a message to its provider. */
export const MESSAGE_SEND = dueWork("message.send", { together: 4, perProcess: 10, followUps: 0 });

/** The address to which the provider of an account sends its reports. */
export const REPORTS_PAGE = { path: "message-reports", kind: "macc" } as const satisfies HostedPage;
