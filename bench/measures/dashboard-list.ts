import { chromium, type Page } from "playwright-core";
import { startBrowserServer } from "../../test/support/browser.ts";
import type { Bench } from "../bench.ts";
import { COMMON_NAME, openBusiness, RARE_NAME } from "../fill-business.ts";
import { customerId, invoiceId, transactionId } from "../names.ts";
import { type Line, target } from "../report.ts";
import { startService } from "../service.ts";
import { percentile } from "../statistics.ts";

/** At p95. */
const [SHOWN_MS, ROUTE_MS] = [500, 200];
const SAMPLES = 20;
const MIDDLE = 500_000;

/** Queries of a list's address: with many, few and no results, for each way of searching. */
const COMMON = [
  "",
  `q=${COMMON_NAME}`,
  `q=${RARE_NAME}`,
  `q=${RARE_NAME}+${COMMON_NAME}`,
  "q=nobody-has-this",
  "q=gmail.com",
  "q=payer777%40outlook.com",
];
const AMOUNTS = ["q=199", "q=4+321.99", "q=order-", "q=order-1234"];
const LISTS: Readonly<Record<string, readonly string[]>> = {
  invoices: [
    ...COMMON,
    ...AMOUNTS,
    "q=INV-",
    "q=1234",
    "q=INV-000012",
    "status=draft",
    "status=overdue",
    "status=paid",
    "missed=failed",
    "missed=recovered",
    "owing=open",
    "owing=overdue",
    `status=draft&q=${COMMON_NAME}`,
    `status=cancelled&q=${RARE_NAME}`,
    `after=${invoiceId(0, MIDDLE)}`,
    `after=${invoiceId(0, 40)}`,
    `q=${COMMON_NAME}&after=${invoiceId(0, MIDDLE)}`,
  ],
  transactions: [
    ...COMMON,
    ...AMOUNTS,
    "q=TEFO-",
    "q=sbx_1234",
    "status=complete",
    "status=pending",
    "status=failed",
    "status=partially_refunded",
    "risk=at_risk",
    "risk=safe",
    "paidFrom=2000-01-01&paidTo=2000-01-31",
    "paidFrom=2026-01-01&paidTo=2026-01-31",
    `status=failed&q=${COMMON_NAME}`,
    `status=pending&q=${RARE_NAME}`,
    `after=${transactionId(0, MIDDLE)}`,
  ],
  customers: [
    ...COMMON,
    "q=crm-1234",
    "q=crm",
    "q=C-00001234",
    "email=payer777%40outlook.com",
    "email=nobody%40nowhere.example",
    "externalReference=crm-1233",
    `after=${customerId(0, MIDDLE)}`,
    `q=${COMMON_NAME}&after=${customerId(0, 4000)}`,
  ],
};
const SEARCHES = [COMMON_NAME, RARE_NAME, "nobody-has-this", "INV-", "INV-001234", "199", "4321.99", "order-", "gmail"];

/** Milliseconds until the list's rows, or that it has none, are shown; -1 when there is a failure. Runs in the page. */
const SHOWN = `new Promise((resolve) => {
  const look = () => {
    const content = document.querySelector("#content");
    if (content?.querySelector("[role=alert]")) return resolve(-1);
    const done = content?.querySelector("[data-stale=false] [data-record]") ?? [...(content?.querySelectorAll("h2, h3, p") ?? [])].find((one) => one.textContent === "Nothing matches");
    if (done) requestAnimationFrame(() => resolve(performance.now()));
    else requestAnimationFrame(look);
  };
  look();
})`;

/**
 * The time in a browser until pages of the lists of a million records are shown, until the search shows its results,
 * and for a change between pages that were open before.
 */
export async function measureDashboardList(bench: Bench): Promise<Line[]> {
  const { url, merchant } = await openBusiness(bench);
  const service = await startService(bench.server, { DATABASE_URL: url });
  const program = await startBrowserServer();
  const browser = await chromium.connect(program.url);
  try {
    const context = await browser.newContext({ reducedMotion: "reduce" });
    const page = await context.newPage();
    const at = (path: string) => `${service.baseUrl}/dashboard/${path}`;
    await signIn(page, at("customers"), merchant.owner);
    const lines: Line[] = [];
    for (const [list, queries] of Object.entries(LISTS)) {
      const found: { query: string; p95: number }[] = [];
      for (const query of queries) {
        const p95 = await p95Of(() => opened(page, at(`${list}?${query}`)));
        bench.say(`${list}?${query}: p95 ${p95.toFixed(0)} ms`);
        found.push({ query, p95 });
      }
      lines.push(slowest(`list of 20 of a million ${list}, in the browser`, found));
    }
    await page.goto(at("customers"));
    await page.locator("[data-record]").first().waitFor();
    const searches: { query: string; p95: number }[] = [];
    for (const query of SEARCHES) {
      const p95 = await p95Of(() => searched(page, query));
      bench.say(`search for ${query}: p95 ${p95.toFixed(0)} ms`);
      searches.push({ query, p95 });
    }
    lines.push(slowest("search from anywhere, in the browser", searches), await routeChange(page));
    return lines;
  } finally {
    await browser.close();
    await program.stop();
    await service.stop();
  }
}

function slowest(name: string, found: readonly { readonly query: string; readonly p95: number }[]): Line {
  const [worst] = found.toSorted((a, b) => b.p95 - a.p95);
  const value = worst?.p95 ?? Number.NaN;
  return {
    name: `${name}, p95`,
    value,
    unit: "ms",
    target: target("under", SHOWN_MS, value, "ms"),
    note: `the slowest of ${found.length} queries, ${worst?.query || "without any"}; ${SAMPLES} times each`,
  };
}

async function p95Of(sample: () => Promise<number>): Promise<number> {
  const took: number[] = [];
  for (let taken = 0; taken < SAMPLES; taken++) took.push(await sample());
  return percentile(
    took.sort((a, b) => a - b),
    0.95,
  );
}

/** From the navigation to the rows. Throws when the page shows a failure. */
async function opened(page: Page, url: string): Promise<number> {
  await page.goto(url, { waitUntil: "commit" });
  const shown = await page.evaluate<number>(SHOWN);
  if (shown < 0) throw new Error(`${url} shows a failure`);
  return shown;
}

/** From typing the whole text to the results, including the wait for further letters. */
async function searched(page: Page, text: string): Promise<number> {
  await page.keyboard.press("Control+K");
  const input = page.getByRole("textbox", { name: "Search", exact: true }).last();
  await input.waitFor();
  const answered = page.waitForResponse((response) => response.url().includes("/dashboard/api/search"));
  const began = await page.evaluate<number>("performance.now()");
  await input.fill(text);
  const { groups } = (await (await answered).json()) as { groups: { results: { title: string }[] }[] };
  const title = groups[0]?.results[0]?.title;
  if (title !== undefined) await page.getByText(title, { exact: true }).first().waitFor();
  const took = (await page.evaluate<number>("performance.now()")) - began;
  await page.keyboard.press("Escape");
  await input.waitFor({ state: "detached" });
  await page.reload();
  await page.locator("[data-record]").first().waitFor();
  return took;
}

/** From the click on a page of the navigation that was open before to its heading. */
async function routeChange(page: Page): Promise<Line> {
  const names = ["Invoices", "Payments", "Customers"];
  const go = async (name: string) => {
    const took = await page.evaluate<number>(`new Promise((resolve) => {
      const began = performance.now();
      const look = () => document.querySelector("h1")?.textContent === "${name}" && document.querySelector("[data-record]") ? resolve(performance.now() - began) : requestAnimationFrame(look);
      [...document.querySelectorAll("nav a")].find((one) => one.textContent === "${name}").click();
      look();
    })`);
    return took;
  };
  for (const name of names) await go(name);
  let turn = 0;
  const value = await p95Of(() => go(names[turn++ % names.length] ?? ""));
  return {
    name: "change to a list that was open before, in the browser, p95",
    value,
    unit: "ms",
    target: target("under", ROUTE_MS, value, "ms"),
    note: "from the click to its rows",
  };
}

async function signIn(
  page: Page,
  url: string,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<void> {
  await page.goto(url);
  await page.getByRole("textbox", { name: "Email address" }).fill(email);
  await page.locator("input[type=password]").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.locator("[data-record]").first().waitFor();
}
