import { part } from "../platform/database.ts";

/** Statuses of a refund that is in the books: its gateway accepted it, and it has not failed. In SQL: `r.status ${IN_BOOKED}`. */
export const IN_BOOKED = part`in ('pending', 'processed')`;

/** Statuses of a refund whose gateway has not said how it ended. In SQL: `r.status ${IN_UNDECIDED}`. */
export const IN_UNDECIDED = part`in ('requested', 'pending')`;
