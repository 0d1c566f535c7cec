import assert from "node:assert/strict";
import { test } from "node:test";
import { setUpDashboardPages } from "../support/dashboard-pages.ts";

/* How heavy the dashboard is for somebody who opens it, and how quickly it goes from page to page. */

const FIRST_LOAD_BYTES_MAX = 260_000;
const ROUTE_CHANGE_MS_MAX = 200;

const dashboard = setUpDashboardPages();

/** Bytes of the body as they were sent, which the server's own header tells. */
const lengths = async (responses: readonly { headerValue(name: string): Promise<string | null> }[]) =>
  Promise.all(responses.map(async (response) => Number((await response.headerValue("content-length")) ?? 0)));

test("the first page loads at most 260 kB, compressed, from this host alone", async (t) => {
  const page = await dashboard.open(t, "/");
  const files: Parameters<typeof lengths>[0][number][] = [];
  page.on("response", (response) => {
    if (!response.url().includes("/dashboard/api/")) files.push(response);
  });
  // A new context would have to sign in, and the sign-in is a part of what is loaded.
  await page.goto(`${dashboard.api.baseUrl}/dashboard/customers`);
  await page.getByRole("heading", { name: "Customers", level: 1 }).waitFor();
  const sizes = await lengths(files);
  assert.ok(sizes.length > 2, "the page and its files were counted");
  const total = sizes.reduce((sum, size) => sum + size, 0);
  t.diagnostic(`${total} bytes in ${sizes.length} files`);
  assert.ok(total <= FIRST_LOAD_BYTES_MAX, `${total} bytes in ${sizes.length} files`);
});

test("a page that was open before is shown again within 200 ms", async (t) => {
  const page = await dashboard.open(t, "/customers");
  const go = async (name: string) => {
    await page.getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { name, level: 1 }).waitFor();
  };
  for (const name of ["Invoices", "Quotes", "Customers"]) await go(name);
  const times: number[] = [];
  for (const name of ["Invoices", "Customers", "Quotes", "Invoices", "Customers"])
    times.push(
      await page.evaluate<number>(`new Promise((resolve) => {
        const begun = performance.now();
        const shown = () => document.querySelector("h1")?.textContent === "${name}";
        const look = () => requestAnimationFrame(() => (shown() ? resolve(performance.now() - begun) : look()));
        [...document.querySelectorAll("nav a")].find((one) => one.textContent === "${name}").click();
        look();
      })`),
    );
  // A busy machine makes some of them slower, none quicker.
  assert.ok(Math.min(...times) <= ROUTE_CHANGE_MS_MAX, `${times.map(Math.round).join(", ")} ms`);
});
