import type { Ctx } from "../../src/flows/context.ts";
import { recordExternal } from "../../src/flows/customer-subscriptions/record-external.ts";
import { syncPeriod } from "../../src/flows/customer-subscriptions/sync-period.ts";
import { upsertCustomer } from "../../src/flows/customers/save-customer.ts";
import type { Services } from "../../src/flows/services.ts";
import { addDays, calendarDay } from "../../src/kernel/time.ts";
import { CustomerBody } from "../../src/modules/customers/schema.ts";
import { ExternalSubscriptionCreate, SyncPeriod } from "../../src/modules/external-periods/schema.ts";
import type { Tx } from "../../src/platform/database.ts";
import type { PlantedFault } from "./planted-faults.ts";

/**
 * Adds external subscriptions to the plan `fixed` of `addCatalogue`: `external`, with two periods and an end to come,
 * and `external-trial`, in its trial.
 */
export async function addExternals({ db }: Services, ctx: Ctx): Promise<void> {
  const write = <T>(work: (tx: Tx) => Promise<T>) => db.transaction(ctx.organisation.id, work);
  const { customer } = await write((tx) =>
    upsertCustomer(tx, ctx, CustomerBody.parse({ email: "elsewhere@example.com" })),
  );
  const [soon, later] = [10, 40].map((days) => addDays(calendarDay(ctx.now), days));
  const record = (externalReference: string, fields: object) =>
    write((tx) =>
      recordExternal(
        tx,
        ctx,
        ExternalSubscriptionCreate.parse({
          customer: { id: customer.id },
          plan: "fixed",
          collectionMethod: "external",
          externalReference,
          paidThrough: soon,
          ...fields,
        }),
      ),
    );
  const { subscription } = await record("external", { cancelAtPeriodEnd: true });
  await record("external-trial", { status: "trialing" });
  const renewal = SyncPeriod.parse({ currentPeriodStart: soon, currentPeriodEnd: later, billedAmount: 99 });
  await write((tx) => syncPeriod(tx, ctx, subscription.id, renewal));
}

const of = (reference: string) => `(select id from customer_subscriptions where external_reference = '${reference}')`;
const period = (reference: string, which: "min" | "max") =>
  `(select ${which}(id) from external_periods where customer_subscription_id = ${of(reference)})`;
const LAST = period("external", "max");
const TRIAL = period("external-trial", "max");
const changed = (id: string, columns: string) => `update external_periods set ${columns} where id = ${id}`;

/** Of what `addExternals` made: at least one for every rule about recorded periods. */
export const EXTERNAL_FAULTS: readonly PlantedFault[] = [
  ...(
    [
      ["shadow_lines_reasoned", LAST, changed(LAST, "lines = jsonb_set(lines, '{0,reason,full}', '1')")],
      ["shadow_lines_tax", LAST, changed(LAST, "lines = jsonb_set(lines, '{0,tax}', '1')")],
      ["shadow_total", LAST, changed(LAST, "total_cents = total_cents + 1")],
      ["shadow_subtotal", LAST, changed(LAST, "subtotal_cents = subtotal_cents + 1, total_cents = total_cents + 1")],
      ["shadow_of_trial", TRIAL, changed(TRIAL, "subtotal_cents = 1, total_cents = 1")],
      [
        "recorded_of_external",
        TRIAL,
        "update customer_subscriptions set collection_method = 'manual' where external_reference = 'external-trial'",
      ],
      ["recorded_without_overlap", LAST, changed(period("external", "min"), "period_next = period_next + 1")],
      ["recorded_last", LAST, changed(LAST, "period_next = period_next + 1")],
      ["recorded_last", LAST, changed(LAST, "cycle = cycle + 1")],
      ["recorded_last", period("external", "min"), `delete from external_periods where id = ${LAST}`],
      [
        "recorded_next",
        TRIAL,
        "update customer_subscriptions set next_due = next_due + 1 where external_reference = 'external-trial'",
      ],
      [
        "recorded_next",
        TRIAL,
        "update customer_subscriptions set next_due = null where external_reference = 'external-trial'",
      ],
      [
        "external_not_billed",
        LAST,
        `update customer_subscription_bills set customer_subscription_id = ${of("external")} where invoice_id is null`,
      ],
      ["external_end_awaited", LAST, "delete from due_work where kind = 'external_subscription.end'"],
      [
        "external_end_awaited",
        LAST,
        "update customer_subscriptions set status = 'cancelled' where external_reference = 'external'",
      ],
    ] as const
  ).map(([rule, ...rest]) => [`external_periods.${rule}`, ...rest] as const),
  [
    "customer_subscriptions.subscription_recorded",
    of("external-trial"),
    `delete from external_periods where customer_subscription_id = ${of("external-trial")}`,
  ],
];
