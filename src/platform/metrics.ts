import { channel } from "node:diagnostics_channel";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { secondsBetween, unixSeconds } from "../kernel/time.ts";
import type { Database, Replica } from "./database.ts";
import { workSummary } from "./due-work.ts";
import { lastResults } from "./last-results.ts";
import { machineNow } from "./machine-clock.ts";
import type { MailResult } from "./mailer.ts";

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The outcome of one attempt to deliver a webhook. */
export type DeliveryOutcome = "delivered" | "retried" | "failed";

/** A payment whose outcome is known, as its event tells it. */
export interface SettledPayment {
  readonly gateway: string;
  /** The kind of payment, such as `card_debit`. */
  readonly type: string;
  readonly outcome: string;
  readonly currency: string;
  readonly sandbox: boolean;
  /** In the unit of the currency, as the interface gives it: 12.5 is R 12.50. */
  readonly amount: number;
}

/** One exchange with a gateway. `outcome` is the class of the answer's status, such as `2xx`, or `no_answer`. */
export interface GatewayExchange {
  readonly host: string;
  readonly outcome: string;
  readonly seconds: number;
}

/** Where exchanges with gateways are made known: the code that makes them knows no metrics. */
export const GATEWAY_EXCHANGES = channel("tefo.gateway.exchange");

/** Metrics of this process, and of the due work that all processes share (interface 11.2). */
export interface Metrics {
  observeRequest(request: { method: string; route: string; status: number; seconds: number }): void;
  observeDelivery(delivery: { outcome: DeliveryOutcome; seconds: number }): void;
  observeMail(outcome: MailResult["outcome"]): void;
  observePayment(payment: SettledPayment): void;
  /** In Prometheus text format. Without a database `tefo_database_up` is 0 and the other metrics are still given. */
  render(): Promise<{ contentType: string; text: string }>;
}

/** Creates the metrics of a process; call it once. */
export function createMetrics(db: Database): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "tefo_http_request_duration_seconds",
    help: "Requests answered, by route and status.",
    labelNames: ["method", "route", "status"],
    buckets: SECONDS,
    registers,
  });
  const deliveries = new Histogram({
    name: "tefo_webhook_delivery_duration_seconds",
    help: "Attempts to deliver a webhook, by outcome.",
    labelNames: ["outcome"],
    buckets: SECONDS,
    registers,
  });
  const failures = new Counter({
    name: "tefo_http_request_failures_total",
    help: "Requests answered with 5xx.",
    labelNames: ["method", "route"],
    registers,
  });
  const mails = new Counter({
    name: "tefo_emails_total",
    help: "Attempts to send a mail, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  const observePayment = paymentCounters(registers);
  observeGateways(registers);
  const readWork = workGauges(db, registers);
  const readResults = resultGauges(db, registers);
  if (db.replica) replicaMetrics(db.replica, registers);
  return {
    observeRequest({ method, route, status, seconds }) {
      requests.observe({ method, route, status }, seconds);
      if (status >= 500) failures.inc({ method, route });
    },
    observeMail: (outcome) => mails.inc({ outcome }),
    observePayment,
    observeDelivery: ({ outcome, seconds }) => deliveries.observe({ outcome }, seconds),
    async render() {
      await Promise.all([readWork(), readResults()]);
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

function paymentCounters(registers: Registry[]): Metrics["observePayment"] {
  const labelNames = ["gateway", "type", "outcome", "currency", "sandbox"] as const;
  const payments = new Counter({
    name: "tefo_payments_total",
    help: "Payments whose outcome became known, by gateway, kind and outcome.",
    labelNames,
    registers,
  });
  const amounts = new Counter({
    name: "tefo_payment_amount_total",
    help: "Their amounts, in the unit of the currency.",
    labelNames,
    registers,
  });
  return ({ amount, sandbox, ...labels }) => {
    payments.inc({ ...labels, sandbox: String(sandbox) });
    amounts.inc({ ...labels, sandbox: String(sandbox) }, amount);
  };
}

function observeGateways(registers: Registry[]): void {
  const exchanges = new Histogram({
    name: "tefo_gateway_request_duration_seconds",
    help: "Requests to gateways, by host and class of the answer's status; no_answer when there was none in time.",
    labelNames: ["host", "outcome"],
    buckets: SECONDS,
    registers,
  });
  GATEWAY_EXCHANGES.subscribe((message) => {
    const { host, outcome, seconds } = message as GatewayExchange;
    exchanges.observe({ host, outcome }, seconds);
  });
}

/** Gauges of the due work of all organisations, read when the metrics are requested. */
function workGauges(db: Database, registers: Registry[]): () => Promise<void> {
  const up = new Gauge({ name: "tefo_database_up", help: "1 when the database answers.", registers });
  const depth = new Gauge({
    name: "tefo_due_work",
    help: "Work by kind and state: waiting counts all that is not done, whenever it is due; failed waits for a person.",
    labelNames: ["kind", "state"],
    registers,
  });
  const age = new Gauge({
    name: "tefo_due_work_oldest_seconds",
    help: "For how long the oldest work of the kind has been due.",
    labelNames: ["kind"],
    registers,
  });
  return async () => {
    const kinds = await workSummary(db).catch(() => null);
    up.set(kinds === null ? 0 : 1);
    depth.reset();
    age.reset();
    const now = machineNow();
    for (const { kind, depth: waiting, due, running, failed, oldestDue } of kinds ?? []) {
      for (const [state, count] of Object.entries({ waiting, due, running, failed })) depth.set({ kind, state }, count);
      age.set({ kind }, oldestDue === null ? 0 : Math.max(0, secondsBetween(oldestDue, now)));
    }
  };
}

/** What the replica answers, and how far behind it is, read when the metrics are requested. */
function replicaMetrics(replica: Replica, registers: Registry[]): void {
  new Gauge({
    name: "tefo_replica_lag_seconds",
    help: "How far the read replica is behind; +Inf when it does not answer, or follows nothing.",
    registers,
    collect() {
      this.set(replica.lagSeconds() ?? Number.POSITIVE_INFINITY);
    },
  });
  new Counter({
    name: "tefo_replica_reads_total",
    help: "Reads that the read replica may answer, by the server that has answered them.",
    labelNames: ["server"],
    registers,
    collect() {
      this.reset();
      for (const [server, count] of Object.entries(replica.reads())) this.inc({ server }, count);
    },
  });
}

/** Gauges of the last results of `verify` and of backups, read when the metrics are requested; absent until there is one. */
function resultGauges(db: Database, registers: Registry[]): () => Promise<void> {
  const at = new Gauge({
    name: "tefo_last_result_timestamp_seconds",
    help: "When the last backup of the embedded database was made, and the last whole verify ended, in Unix time.",
    labelNames: ["kind"],
    registers,
  });
  const faults = new Gauge({ name: "tefo_verify_faults", help: "What the last whole verify found.", registers });
  return async () => {
    at.reset();
    faults.remove();
    for (const one of await lastResults(db).catch(() => [])) {
      at.set({ kind: one.kind }, unixSeconds(one.endedAt));
      if (one.kind === "verify") faults.set(one.faults);
    }
  };
}
