import { toDecimal } from "../src/kernel/decimal.ts";
import { cents } from "../src/kernel/money.ts";
import { addDays, type CalendarDay, calendarDay, startOfDay, toTimestamp } from "../src/kernel/time.ts";
import { startOfCycleBefore } from "../src/modules/customer-subscriptions/rules/planner/periods.ts";
import { create } from "../src/modules/customer-subscriptions/rules/planner/start.ts";
import type { Subscription, Terms } from "../src/modules/customer-subscriptions/rules/planner/types.ts";
import { SECRET_COLUMN } from "../src/modules/webhooks/store.ts";
import { machineNow } from "../src/platform/machine-clock.ts";
import { createSecrets } from "../src/platform/secrets.ts";
import { newWebhookSecret } from "../src/platform/webhook-signing.ts";
import {
  ORGANISATIONS,
  organisationId,
  PACKAGE_ID,
  PLAN_ID,
  SUBSCRIBERS,
  sqlCustomerId,
  sqlOrganisationId,
} from "./names.ts";
import type { BenchServer } from "./server.ts";

/** One organisation in so many has a webhook endpoint. */
const SUBSCRIBING = 10;
/** The version of every organisation's plan. */
export const VERSION = `plv_${"0".repeat(26)}`;

/** A plan and an add-on: two lines on each invoice. */
const TERMS: Terms = {
  price: {
    id: VERSION,
    planId: PLAN_ID,
    name: "Gold",
    currency: "ZAR",
    amount: cents(49_900),
    frequency: "monthly",
    setupFee: cents(0),
    cycles: null,
    taxRate: toDecimal(15),
    taxInclusive: false,
  },
  quantity: 1,
  items: [
    {
      kind: "addon",
      id: `csi_${"0".repeat(26)}`,
      code: null,
      description: "Extra seat",
      unitAmount: toDecimal(99.9),
      quantity: toDecimal(3),
    },
  ],
};

/** What usage events count in. */
const METERED: Terms["items"][number] = {
  kind: "metered",
  id: `csi_${"1".repeat(26)}`,
  code: "calls",
  description: "Calls",
  unitAmount: toDecimal(0.001),
  usage: toDecimal(0),
};

/** A subscription that began a month before its next bill, in the planner's form. */
export function dueOn(day: CalendarDay, isMetered: boolean): Subscription {
  const startsOn = startOfCycleBefore(day, "monthly");
  const terms = isMetered ? { ...TERMS, items: [...TERMS.items, METERED] } : TERMS;
  const coming = { terms, periodMoves: "when_billed", startsOn, trialDays: 0, paidThrough: null } as const;
  return create({ ...coming, billingAnchorDay: Number(day.slice(8)), coupon: null, credits: [] }, startsOn).after;
}

/** Gives every organisation customers and a package with a plan; one in ten has a webhook endpoint at this URL, if there is one. */
export async function fillCatalogue(
  { query, secretKey }: BenchServer,
  url: string,
  endpointUrl: string | null = null,
): Promise<void> {
  const all = `generate_series(1, ${ORGANISATIONS}) org`;
  await query(
    url,
    `set session_replication_role = replica;
     insert into customers (organisation_id, id, account_code, first_name, last_name, created_at, updated_at)
     select ${sqlOrganisationId("org")}, ${sqlCustomerId("org", "n")}, 'C-' || lpad(n::text, 8, '0'), 'Thandi', 'Nkosi', now(), now()
       from ${all}, generate_series(0, ${SUBSCRIBERS - 1}) n;
     insert into packages (organisation_id, id, name, enabled, created_at, updated_at)
     select ${sqlOrganisationId("org")}, '${PACKAGE_ID}', 'Hosting', true, now(), now() from ${all};
     insert into plan_versions (organisation_id, id, plan_id, number, amount_cents, currency, frequency, setup_fee_cents, trial_days, tax_rate,
       tax_inclusive, created_at)
     select ${sqlOrganisationId("org")}, '${VERSION}', '${PLAN_ID}', 1, ${TERMS.price.amount}, 'ZAR', 'monthly', 0, 0, 15, false, now() from ${all};
     insert into plans (organisation_id, id, package_id, name, enabled, call_to_action, plan_version_id, created_at, updated_at)
     select ${sqlOrganisationId("org")}, '${PLAN_ID}', '${PACKAGE_ID}', 'Gold', true, 'none', '${VERSION}', now(), now() from ${all};`,
  );
  if (endpointUrl !== null) await query(url, endpointsSql(secretKey, endpointUrl));
}

function endpointsSql(secretKey: string, endpointUrl: string): string {
  const secrets = createSecrets({ current: secretKey, previous: [] });
  const numbers = Array.from({ length: ORGANISATIONS / SUBSCRIBING }, (_, place) => SUBSCRIBING * (place + 1));
  const endpoints = numbers.map((number) => {
    const organisation = organisationId(number);
    const sealed = secrets.seal(newWebhookSecret(), { organisation, column: SECRET_COLUMN });
    return `('${organisation}', '${sealed}')`;
  });
  return `
    insert into webhook_endpoints (organisation_id, id, url, events, enabled, secret_sealed, created_at, updated_at)
    select organisation_id, 'we_' || repeat('0', 26), '${endpointUrl}', '{*}', true, sealed, now(), now()
      from (values ${endpoints.join(", ")}) e(organisation_id, sealed);`;
}

/** Subscriptions to add; those of several organisations are spread evenly. */
export interface Added {
  /** Begins the ids; a letter and digits. */
  readonly tag: string;
  readonly count: number;
  /** From number 1 on. */
  readonly organisations: number;
  readonly nextDue: CalendarDay;
  /** Whether each has a metered item `calls` too. */
  readonly metered?: boolean;
}

/**
 * Adds subscriptions whose due work is in the future: on their day, or in a year for those that fall due today, until
 * the measurement makes it due.
 */
export async function addSubscriptions({ query }: BenchServer, url: string, added: Added): Promise<void> {
  const { tag, count, organisations, nextDue, metered = false } = added;
  const org = `n % ${organisations} + 1`;
  const customer = `n / ${organisations} % ${SUBSCRIBERS}`;
  const id = `'csub_${tag}' || lpad(n::text, 24, '0')`;
  const today = calendarDay(machineNow());
  const work = toTimestamp(startOfDay(nextDue > today ? nextDue : addDays(nextDue, 365)));
  await query(
    url,
    `set session_replication_role = replica;
     insert into customer_subscriptions (organisation_id, id, status, customer_id, plan_id, plan_version_id, collection_method, metadata, state,
       next_due, created_at, updated_at)
     select ${sqlOrganisationId(org)}, ${id}, 'active', ${sqlCustomerId(org, customer)}, '${PLAN_ID}', '${VERSION}', 'invoice', '{}',
       '${JSON.stringify(dueOn(nextDue, metered))}', '${nextDue}', now(), now() from generate_series(0, ${count - 1}) n;
     insert into due_work (organisation_id, kind, subject, lane, due_at)
     select ${sqlOrganisationId(org)}, 'customer_subscription.bill', ${id}, 'customer_subscription.bill', '${work}'
       from generate_series(0, ${count - 1}) n;`,
  );
  await query(url, "vacuum analyze customer_subscriptions, due_work");
  await query(url, "checkpoint");
}
