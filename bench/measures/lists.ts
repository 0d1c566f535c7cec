import type { Bench } from "../bench.ts";
import { fillLists } from "../fill-lists.ts";
import { apiKey, customerId, LARGE } from "../names.ts";
import { type Line, target } from "../report.ts";
import { startService } from "../service.ts";
import { percentile } from "../statistics.ts";

const P99_MS = 25;
const SAMPLES = 100;
const WARM_UP = 10;
const CUSTOMER = `customerId=${customerId(LARGE, 7)}`;
/** Of which no, no, and all records are. */
const TIMES = ["createdTo=2000-01-01", "createdFrom=2100-01-01", "createdFrom=2000-01-01"];

/** Queries of each list that has a million records: its filters, with values that many, few and no records have. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  events: ["type=dispute.closed", "type=payment.complete", "subject=txn_77", "q=dispute.closed", ...TIMES],
  "webhook-deliveries": [
    ...[
      "eventType=dispute.closed",
      "eventType=mandate.paused",
      "endpointId=we_rare",
      "status=parked",
      "status=pending",
    ],
    ...["status=delivered", ...TIMES],
  ],
  "request-log": [
    ...["keyId=key_rare", "keyId=key_none", "status=4xx", "status=409", "status=5xx", "status=2xx", "path=invoices"],
    "to=2000-01-01",
  ],
  "usage-events": [`subscriptionId=csub_${"77".padStart(26, "0")}`, "late=true", "late=false", "item=calls", ...TIMES],
  "credit-notes": [CUSTOMER, ...TIMES],
  disputes: ["status=won", "status=open", "status=lost", CUSTOMER, "transactionReference=TEFO-7", ...TIMES],
  quotes: ["status=accepted", "status=declined", "status=sent", CUSTOMER, ...TIMES],
  "eft-orders": ["status=rejected", "status=awaiting_review", "externalReference=order-77", CUSTOMER, ...TIMES],
  "checkout-sessions": ["status=failed", "status=completed", "status=expired", ...TIMES],
  mandates: ["status=paused", "status=pending", "status=active", "accountReference=DO77", CUSTOMER, ...TIMES],
  "payment-links": ["active=true", "active=false", "externalReference=order-77", CUSTOMER, ...TIMES],
  "customer-subscriptions": [
    ...["status=paused", "status=cancelled", "status=past_due", "status=active", "planId=plan_none", CUSTOMER],
    "cardExpiring=true",
    ...["externalReference=none", "collectionMethod=gateway", ...TIMES],
  ],
  subscriptions: ["status=paused", "status=cancelled", "status=active", "externalReference=gym-77", CUSTOMER, ...TIMES],
};

/**
 * Pages of 20 of lists with a million records of one organisation, by key: the first page, one in the middle, and with
 * each filter; asked for one after the other.
 */
export async function measureLists(bench: Bench): Promise<Line[]> {
  const url = await bench.server.database("lists");
  // Its start makes the partitions of now.
  const service = await startService(bench.server, { DATABASE_URL: url, PROCESS: "api" });
  const headers = { authorization: `Bearer ${apiKey(LARGE)}` };
  const read = async (path: string): Promise<{ readonly data: readonly { readonly id: string }[] }> => {
    const response = await fetch(`${service.baseUrl}/api/v1/${path}`, { headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answers ${response.status}: ${text}`);
    return JSON.parse(text);
  };
  const timesOf = async (path: string): Promise<{ readonly p50: number; readonly p99: number }> => {
    const took: number[] = [];
    for (let asked = -WARM_UP; asked < SAMPLES; asked++) {
      const began = performance.now();
      await read(path);
      if (asked >= 0) took.push(performance.now() - began);
    }
    const sorted = took.toSorted((a, b) => a - b);
    return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
  };
  try {
    await fillLists(bench.server, url, bench.say);
    const lines: Line[] = [];
    for (const [list, filters] of Object.entries(LISTS)) {
      const [middle] = await bench.server.query<{ id: string }>(url, middleOf(list));
      const queries = ["", `startingAfter=${middle?.id}`, ...filters];
      const found: { query: string; p50: number; p99: number }[] = [];
      for (const query of queries) {
        const times = await timesOf(`${list}?${query}`);
        bench.say(`${list}?${query}: p50 ${times.p50.toFixed(1)} ms, p99 ${times.p99.toFixed(1)} ms`);
        found.push({ query, ...times });
      }
      const [worst] = found.toSorted((a, b) => b.p99 - a.p99);
      const value = worst?.p99 ?? Number.NaN;
      lines.push({
        name: `list of 20 of a million ${list}, p99`,
        value,
        unit: "ms",
        target: target("at most", P99_MS, value, "ms"),
        note: `the slowest of ${queries.length} queries, ${worst?.query || "without any"}; the first page ${found[0]?.p99.toFixed(1)} ms, at p50 ${found[0]?.p50.toFixed(1)} ms`,
      });
    }
    return lines;
  } finally {
    await service.stop();
  }
}

/** SQL for the id of a record in the middle of a list. */
const middleOf = (list: string): string => {
  const table = list === "subscriptions" ? "gateway_subscriptions" : list.replaceAll("-", "_");
  return `select id from ${table} where organisation_id = (select id from organisations where not sandbox) order by id desc offset 500000 limit 1`;
};
