import { everyPageLooksRight, isForm, looksRightAnywhere, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { addOneOfEach, kindsIn } from "../support/one-of-each.ts";
import { oddText } from "../support/text.ts";

/*
 * Every page that is neither a record's nor a form for something new: home, lists, settings, with texts as long and odd
 * as people may write them.
 */

const dashboard = setUpDashboardPages(async (shop, api) => void (await addOneOfEach(api, shop, oddText)));

everyPageLooksRight(
  dashboard,
  (routes) => [
    ...routes.filter((path) => kindsIn(path).length === 0 && !isForm(path)),
    "/customers?q=nobody-has-this-name",
    "/no-such-page",
  ],
  async (page) => {
    await page.context().clearCookies();
    await page.reload();
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    await looksRightAnywhere(page, "the sign-in");
  },
);
