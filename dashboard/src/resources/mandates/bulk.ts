import { api, got, type Shape } from "../../api/client.ts";
import { noteReason } from "../../api/notes.ts";
import type { BulkAction } from "../../components/bulk-bar.tsx";
import { formatMoney, sumOf } from "../../lib/money.ts";
import { counted } from "../../lib/words.ts";

type Mandate = Shape<"Mandate">;

const common = {
  permission: "mandates:write",
  name: ({ accountReference }: Mandate) => accountReference,
  touches: ["/mandates", "/debit-batches", "/emails", "/audit-log"],
} as const;

const over = (chosen: readonly Mandate[]): string => formatMoney(sumOf(chosen.map(({ amount }) => amount)), "ZAR");

const change = ({ id }: Mandate, status: "active" | "paused" | "cancelled") =>
  got(api.PATCH("/mandates/{id}", { params: { path: { id } }, body: { status } }));

const approve: BulkAction<Mandate> = {
  ...common,
  label: "Approve",
  applies: ({ stage }) => stage === "awaiting_approval",
  what: (chosen) =>
    `${counted(chosen.length, "mandate becomes", "mandates become")} active, over ${over(chosen)} together. What is due of them goes into the next batch.`,
  run: ({ id }) => got(api.POST("/mandates/{id}/approve", { params: { path: { id } } })),
};

const pause: BulkAction<Mandate> = {
  ...common,
  label: "Pause",
  applies: ({ status }) => status === "active",
  what: (chosen) =>
    `Of ${counted(chosen.length, "mandate")}, over ${over(chosen)} together, nothing is debited until it is resumed. Debits in batches that are not sent yet are taken out.`,
  run: (mandate) => change(mandate, "paused"),
};

const resume: BulkAction<Mandate> = {
  ...common,
  label: "Resume",
  applies: ({ status, authorityLostAt }) => status === "paused" && !authorityLostAt,
  what: (chosen) =>
    `${counted(chosen.length, "mandate is", "mandates are")} debited again from the next debit day on, ${over(chosen)} together. Days that have passed are not made up for.`,
  run: (mandate) => change(mandate, "active"),
};

const cancel: BulkAction<Mandate> = {
  ...common,
  label: "Cancel mandates",
  reason: "required",
  danger: true,
  applies: ({ status }) => status !== "cancelled",
  what: (chosen) =>
    `Of ${counted(chosen.length, "mandate")}, over ${over(chosen)} together, nothing is debited any more. This cannot be undone; the customers would sign new mandates.`,
  async run(mandate, _key, { reason }) {
    await change(mandate, "cancelled");
    await noteReason(mandate.id, "Cancelled", reason);
  },
};

/** The actions on several mandates at once. */
export const BULK = [approve, pause, resume, cancel];
