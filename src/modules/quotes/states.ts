import type { QuoteStatus } from "./types.ts";

/** What moves a quote (spec 3.4); `draft` is the dashboard's way back (contract 5). */
export type QuoteTrigger = "send" | "accept" | "decline" | "convert" | "expire" | "draft";

/** Spec 3.4, cell for cell; null is refused. What stays as it is, changes nothing and tells nobody. */
export const MOVES: Readonly<Record<QuoteStatus, Readonly<Record<QuoteTrigger, QuoteStatus | null>>>> = {
  draft: { send: "sent", accept: "accepted", decline: "declined", convert: "invoiced", expire: null, draft: "draft" },
  sent: {
    send: "sent",
    accept: "accepted",
    decline: "declined",
    convert: "invoiced",
    expire: "expired",
    draft: "draft",
  },
  expired: {
    send: "sent",
    accept: "accepted",
    decline: "declined",
    convert: "invoiced",
    expire: null,
    draft: "draft",
  },
  accepted: { send: null, accept: null, decline: "declined", convert: "invoiced", expire: null, draft: null },
  declined: { send: null, accept: null, decline: null, convert: null, expire: null, draft: null },
  invoiced: { send: null, accept: null, decline: null, convert: null, expire: null, draft: null },
};

/** Spec 3.4: "only draft and sent quotes can be edited". */
export const isEditable = (status: QuoteStatus): boolean => status === "draft" || status === "sent";

/** Spec 3.4: "only a draft can be deleted". */
export const isDeletable = (status: QuoteStatus): boolean => status === "draft";
