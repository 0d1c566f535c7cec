import { api, got, type Shape } from "../../api/client.ts";
import { noteReason } from "../../api/notes.ts";
import type { BulkAction } from "../../components/bulk-bar.tsx";
import { formatMoney } from "../../lib/money.ts";
import { counted } from "../../lib/words.ts";

type Subscription = Shape<"GatewaySubscription">;

const keyed = ({ id }: Subscription, key: string) => ({ path: { id }, header: { "Idempotency-Key": key } });

const common = {
  permission: "subscriptions:write",
  name: ({ externalReference, amount, currency, id }: Subscription) =>
    `${externalReference ?? id}, ${formatMoney(amount, currency)}`,
  touches: ["/subscriptions", "/transactions", "/emails", "/audit-log"],
} as const;

const pause: BulkAction<Subscription> = {
  ...common,
  label: "Pause",
  reason: "optional",
  applies: ({ status }) => status === "active" || status === "past_due",
  what: (chosen) => `Gateways stop charging ${counted(chosen.length, "subscription")} until it is resumed.`,
  async run(one, key, { reason }) {
    await got(api.POST("/subscriptions/{id}/pause", { params: keyed(one, key) }));
    await noteReason(one.id, "Paused", reason);
  },
};

const resume: BulkAction<Subscription> = {
  ...common,
  label: "Resume",
  reason: "optional",
  applies: ({ status }) => status === "paused",
  what: (chosen) => `Gateways keep charging ${counted(chosen.length, "subscription")}.`,
  async run(one, key, { reason }) {
    await got(api.POST("/subscriptions/{id}/resume", { params: keyed(one, key) }));
    await noteReason(one.id, "Resumed", reason);
  },
};

const cancel: BulkAction<Subscription> = {
  ...common,
  label: "Cancel subscriptions",
  reason: "required",
  danger: true,
  applies: ({ status }) => status !== "cancelled",
  what: (chosen) =>
    `Gateways stop charging ${counted(chosen.length, "card")}. This cannot be undone: the customers would have to subscribe again.`,
  async run(one, _key, { reason }) {
    await got(api.POST("/subscriptions/{id}/cancel", { params: { path: { id: one.id } } }));
    await noteReason(one.id, "Cancelled", reason);
  },
};

/** The actions on several gateway subscriptions at once. */
export const BULK = [pause, resume, cancel];
