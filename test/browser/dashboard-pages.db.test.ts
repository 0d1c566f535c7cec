import { everyPageLooksRight, looksRightAnywhere, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { addOneOfEach, filled, kindsIn, type RecordIds } from "../support/one-of-each.ts";
import { oddText } from "../support/text.ts";

/* Every page of a record, with texts as long and odd as people may write them. */

let ids: RecordIds = {};
const dashboard = setUpDashboardPages(async (shop, api) => {
  ids = await addOneOfEach(api, shop, oddText);
});

everyPageLooksRight(
  dashboard,
  (routes) => routes.filter((path) => kindsIn(path).length > 0).map((path) => filled(path, ids)),
  async (page) => {
    await page.goto(`${dashboard.api.baseUrl}/dashboard/invoices/${ids["invoices"]}`);
    await page.getByRole("button", { name: "Record payment" }).click();
    await page.getByRole("dialog").getByText("What will happen").waitFor();
    await looksRightAnywhere(page, "a dialog");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").locator("input").fill("payer@");
    await page.getByRole("dialog").getByText("INV-000001").waitFor();
    await looksRightAnywhere(page, "the search");
  },
);
