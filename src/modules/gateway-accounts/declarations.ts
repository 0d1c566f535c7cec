import { dueWork } from "../../platform/due-work.ts";

/** Registers the notification address of a gateway account at its gateway again. The subject is the account's id. */
export const GATEWAY_RECONNECT = dueWork("gateway.reconnect", { together: 2, perProcess: 4, alsoInRealTime: true });
