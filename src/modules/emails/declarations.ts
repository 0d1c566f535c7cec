import { dueWork } from "../../platform/due-work.ts";

/** Writes a mail that was requested. Mails of one organisation share a transaction. */
export const MAIL_COMPOSE = dueWork("mail.compose", { together: 64, perProcess: 256, followUps: 0 });
/** Sends a recorded mail over SMTP. */
export const MAIL_SEND = dueWork("mail.send", { together: 4, perProcess: 10, followUps: 0 });
