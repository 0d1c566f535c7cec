import { availableParallelism, cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import type { Bench, Measure } from "./bench.ts";
import { measureCardCharge } from "./measures/card-charge.ts";
import { measureCheckoutPage } from "./measures/checkout-page.ts";
import { measureCosts } from "./measures/costs.ts";
import { measureDashboardList } from "./measures/dashboard-list.ts";
import { measureDebitBatch } from "./measures/debit-batch.ts";
import { measureDeferredRevenue } from "./measures/deferred-revenue.ts";
import { measureInvoices, measureOneCustomer, measureOneOrganisation } from "./measures/invoices.ts";
import { measureLinks } from "./measures/links.ts";
import { measureLists } from "./measures/lists.ts";
import { measureInvoiceList, measureVerify } from "./measures/many-invoices.ts";
import { measureMemory } from "./measures/memory.ts";
import { measureMonthClose } from "./measures/month-close.ts";
import { measureNotifications } from "./measures/notifications.ts";
import { measureOverview } from "./measures/overview.ts";
import { measurePayPage } from "./measures/pay-page.ts";
import { measurePdf } from "./measures/pdf.ts";
import { measureReconciliation } from "./measures/reconciliation.ts";
import { measureRenewals } from "./measures/renewals.ts";
import { measureSize } from "./measures/size.ts";
import { measureStart } from "./measures/start.ts";
import { measurePreview, measureSubscriptionCreate } from "./measures/subscriptions.ts";
import { measureUsageEvents } from "./measures/usage-events.ts";
import { measureVatReturn } from "./measures/vat-return.ts";
import { measureWebhooks } from "./measures/webhooks.ts";
import { pgbenchVersion } from "./pgbench.ts";
import { LAST_RELEASE } from "./release.ts";
import { type Line, lineText } from "./report.ts";
import { openBenchServer } from "./server.ts";

/*
 * npm run bench: measures the service as `npm start` runs it and its database alone, in one run and on one machine. Ratios
 * can be compared between machines; absolute figures cannot.
 */

/** Run in this order. */
const MEASURES: Readonly<Record<string, Measure>> = {
  create: measureLinks("create"),
  get: measureLinks("get"),
  costs: measureCosts,
  "invoice-create": measureInvoices("create"),
  "invoice-create-one": measureOneOrganisation,
  "invoice-create-customer": measureOneCustomer,
  "invoice-get": measureInvoices("get"),
  "card-charge": measureCardCharge,
  notifications: measureNotifications,
  "debit-batch": measureDebitBatch,
  renewals: measureRenewals,
  reconciliation: measureReconciliation,
  "subscription-create": measureSubscriptionCreate,
  "subscription-preview": measurePreview,
  "usage-events": measureUsageEvents,
  "checkout-page": measureCheckoutPage,
  "invoice-list": measureInvoiceList,
  lists: measureLists,
  overview: measureOverview,
  "dashboard-list": measureDashboardList,
  vat201: measureVatReturn,
  "deferred-revenue": measureDeferredRevenue,
  "month-close": measureMonthClose,
  verify: measureVerify,
  size: measureSize,
  webhooks: measureWebhooks,
  page: measurePayPage,
  pdf: measurePdf,
  memory: measureMemory,
  start: measureStart,
};
const USAGE = `npm run bench -- [options]
  --only NAMES    of these, with commas between: ${Object.keys(MEASURES).join(", ")}
  --minutes N     of load for the memory measurement (default 1; its target speaks of 10)
  --seconds N     of each round of load (default 4)
  --rounds N      of debit-batch, renewals and reconciliation (default 3)
  --lines N       of the statement that is imported; ten times as many transfers (default 100000)
  --renewals N    that fall due at one moment; ten times as many are not due (default 100000)
  --against REV   the git revision that costs are compared with (default: the last release, ${LAST_RELEASE})
  --json          one JSON document on stdout`;

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    minutes: { type: "string", default: "1" },
    seconds: { type: "string", default: "4" },
    rounds: { type: "string", default: "3" },
    renewals: { type: "string", default: "100000" },
    lines: { type: "string", default: "100000" },
    against: { type: "string", default: LAST_RELEASE },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

function chosen(): readonly string[] {
  const known = Object.keys(MEASURES);
  const wanted = options.only?.split(",").map((name) => name.trim()) ?? known;
  const stranger = wanted.find((name) => !known.includes(name));
  if (stranger !== undefined) fail(`No such measurement: ${stranger}.\n${USAGE}`);
  return known.filter((name) => wanted.includes(name));
}

function positive(name: "minutes" | "seconds" | "rounds" | "renewals" | "lines"): number {
  const value = Number(options[name]);
  return value > 0 && Number.isFinite(value) ? value : fail(`--${name} must be a number above 0.\n${USAGE}`);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

async function run(): Promise<void> {
  if (options.help) return void process.stdout.write(`${USAGE}\n`);
  const names = chosen();
  const [minutes, roundSeconds] = [positive("minutes"), positive("seconds")];
  const [rounds, renewals] = [positive("rounds"), positive("renewals")];
  const lines = positive("lines");
  const say = (text: string) => void process.stderr.write(`… ${text}\n`);
  const pgbench = await pgbenchVersion();
  say("starting PostgreSQL");
  const server = await openBenchServer();
  const stopOnSignal = () => void server.stop().finally(() => process.exit(1));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stopOnSignal);
  try {
    const bench: Bench = {
      server,
      minutes,
      roundSeconds,
      rounds,
      renewals,
      lines,
      pgbench,
      against: options.against,
      say,
    };
    const told: Line[] = [];
    const tell = (found: readonly Line[]) => {
      told.push(...found);
      if (!options.json) for (const line of found) console.log(lineText(line));
    };
    const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GB`;
    const on = `${machine}, Node ${process.versions.node}, PostgreSQL ${server.version}, fsync on, ${pgbench ?? "no pgbench"}`;
    if (!options.json) console.log(`On ${on}.`);
    for (const name of names) {
      say(name);
      try {
        tell((await MEASURES[name]?.(bench)) ?? []);
      } catch (error) {
        // The others take an hour: they are measured all the same.
        process.stderr.write(`${name} failed: ${error instanceof Error ? error.stack : error}\n`);
        process.exitCode = 1;
      }
    }
    if (options.json) console.log(JSON.stringify({ machine: on, lines: told }, null, 2));
  } finally {
    await server.stop();
  }
}

await run();
