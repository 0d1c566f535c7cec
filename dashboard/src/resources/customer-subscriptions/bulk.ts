import { api, got, type Shape } from "../../api/client.ts";
import { noteReason } from "../../api/notes.ts";
import type { BulkAction } from "../../components/bulk-bar.tsx";
import { counted } from "../../lib/words.ts";
import { hasEnded, TOUCHES } from "./words.ts";

type Subscription = Shape<"CustomerSubscription">;

/** Records of the list exist, so they have an id. */
const keyed = ({ id }: Subscription, key: string) => ({ path: { id: id ?? "" }, header: { "Idempotency-Key": key } });

const common = {
  permission: "subscriptions:write",
  name: ({ customer, plan }: Subscription) => `${plan.name}, ${customer.email ?? customer.id}`,
  touches: [...TOUCHES, "/emails"],
} as const;

const pause: BulkAction<Subscription> = {
  ...common,
  label: "Pause",
  reason: "optional",
  applies: (one) => one.collectedByService && !hasEnded(one) && one.status !== "paused" && one.status !== "pending",
  what: (chosen) =>
    `Of ${counted(chosen.length, "subscription")} nothing is billed until it is resumed. Each customer gets an email. Invoices that are open stay open.`,
  async run(one, key, { reason }) {
    await got(api.POST("/customer-subscriptions/{id}/pause", { params: keyed(one, key) }));
    await noteReason(one.id ?? "", "Paused", reason);
  },
};

const resume: BulkAction<Subscription> = {
  ...common,
  label: "Resume",
  reason: "optional",
  applies: ({ status }) => status === "paused",
  what: (chosen) =>
    `Billing of ${counted(chosen.length, "subscription")} continues. Where the paid period is over, a new one begins today and is billed immediately; else the next invoice comes when it ends. Each customer gets an email.`,
  async run(one, key, { reason }) {
    await got(api.POST("/customer-subscriptions/{id}/resume", { params: keyed(one, key) }));
    await noteReason(one.id ?? "", "Resumed", reason);
  },
};

const cancel: BulkAction<Subscription> = {
  ...common,
  label: "Cancel subscriptions",
  reason: "required",
  danger: true,
  applies: (one) => !hasEnded(one) && !one.cancelAtPeriodEnd,
  what: (chosen) =>
    `${counted(chosen.length, "subscription runs", "subscriptions run")} until the end of the period and ${chosen.length === 1 ? "is" : "are"} not renewed; until then this can be undone. Customers who are billed here get an email.`,
  run(one, key, { reason }) {
    const body = { when: "period_end", sendEmail: one.collectedByService, reason } as const;
    return got(api.POST("/customer-subscriptions/{id}/cancel", { params: keyed(one, key), body }));
  },
};

/** The actions on several subscriptions at once. */
export const BULK = [pause, resume, cancel];
