import { type MoveTable, movesOf } from "../../kernel/moves.ts";
import type { QuoteStatus } from "./types.ts";

/** What changes a quote's status (interface 3.4); `draft` is the dashboard's action that moves it back to draft (interface 14.2). */
export type QuoteAction = "send" | "accept" | "decline" | "convert" | "expire" | "draft";

const MOVES: MoveTable<QuoteStatus, QuoteAction> = {
  draft: { send: "sent", accept: "accepted", decline: "declined", convert: "invoiced", draft: "draft" },
  sent: {
    send: "sent",
    accept: "accepted",
    decline: "declined",
    convert: "invoiced",
    expire: "expired",
    draft: "draft",
  },
  expired: { send: "sent", accept: "accepted", decline: "declined", convert: "invoiced", draft: "draft" },
  accepted: { decline: "declined", convert: "invoiced" },
  declined: {},
  invoiced: {},
};

/**
 * The status that an action leads to, or null (interface 3.4). An action that leads to the same status changes nothing and appends
 * no event.
 */
export const moveQuote = movesOf(MOVES);

/** Interface 3.4: "only draft and sent quotes can be edited". */
export const isEditable = (status: QuoteStatus): boolean => status === "draft" || status === "sent";

/** Interface 3.4: "only a draft can be deleted". */
export const isDeletable = (status: QuoteStatus): boolean => status === "draft";
