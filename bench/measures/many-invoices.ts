import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Bench } from "../bench.ts";
import { A_MILLION, A_MILLION_ROWS, fillInvoices } from "../fill-invoices.ts";
import { LARGE } from "../names.ts";
import { type Line, target } from "../report.ts";
import { measureHalfLoad, measureLoad, underLoad } from "./throughput.ts";

const P99_MS = 25;
const VERIFY_SECONDS_MAX = 60;
const FILTERS = {
  "invoice-list": "without a filter",
  "invoice-list-status": "by status",
  "invoice-list-customer": "by customer",
} as const;

/** Latency of a list of 20 in the organisation that has half a million invoices, at half of its peak. */
export async function measureInvoiceList(bench: Bench): Promise<Line[]> {
  const url = await bench.server.database("invoices_million");
  bench.say("writing a million invoices");
  await fillInvoices(bench.server, url, A_MILLION);
  return underLoad(bench, url, async (service, load) => {
    const lines: Line[] = [];
    for (const [kind, filter] of Object.entries(FILTERS) as [keyof typeof FILTERS, string][]) {
      const { perSecond } = await measureLoad(load, {
        port: service.port,
        kind,
        connections: 16,
        organisations: LARGE,
        rate: null,
        warmupSeconds: 1,
        seconds: bench.roundSeconds,
      });
      const { rate, p99 } = await measureHalfLoad(bench, kind, perSecond, url, service, load, LARGE);
      lines.push({
        name: `list of 20 invoices ${filter} at half of its peak, p99`,
        value: p99,
        unit: "ms",
        target: target("under", P99_MS, p99, "ms"),
        note: `a million invoices, half of them of the organisation that is asked; ${Math.round(rate)} requests/s at random moments`,
      });
    }
    return lines;
  });
}

/** How long `tefo verify` takes. Throws when it finds a fault. */
export async function measureVerify(bench: Bench): Promise<Line[]> {
  const url = await bench.server.database("verified");
  bench.say("writing a million rows");
  await fillInvoices(bench.server, url, A_MILLION_ROWS);
  const env = {
    PATH: process.env["PATH"],
    HOME: process.env["HOME"],
    DATABASE_URL: url,
    SECRET_KEY: bench.server.secretKey,
  };
  const began = performance.now();
  const tefo = join(import.meta.dirname, "../../src/bin/tefo.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [tefo, "verify", "--json"], {
    env,
    maxBuffer: 2 ** 30,
  }).catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(`verify finds faults or fails: ${stdout.slice(0, 600)}\n${stderr}`);
  });
  const seconds = (performance.now() - began) / 1000;
  const { checked } = JSON.parse(stdout) as { checked: number };
  return [
    {
      name: "verify of a million rows",
      value: seconds,
      unit: "s",
      target: target("under", VERIFY_SECONDS_MAX, seconds, "s"),
      note: `${checked} rows, half of them of one organisation; nothing amiss`,
    },
  ];
}
