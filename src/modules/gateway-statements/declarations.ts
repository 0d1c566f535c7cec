import { dueWork } from "../../platform/due-work.ts";

/** Daily: reads the statements of a gateway account and applies their lines. The subject is the account's id. */
export const STATEMENTS_READ = dueWork("gateway_statement.read", { together: 2, perProcess: 8, alsoInRealTime: true });
