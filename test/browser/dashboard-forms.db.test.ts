import { everyPageLooksRight, isForm, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { addOneOfEach, kindsIn, type RecordIds } from "../support/one-of-each.ts";
import { oddText } from "../support/text.ts";

/* Every form for something new, in an organisation whose texts are as long and odd as people may write them. */

let ids: RecordIds = {};
const dashboard = setUpDashboardPages(async (shop, api) => {
  ids = await addOneOfEach(api, shop, oddText);
});

everyPageLooksRight(dashboard, (routes) => [
  ...routes.filter((path) => kindsIn(path).length === 0 && isForm(path)),
  "/gateways/new?type=payfast",
  `/invoices/new?customer=${ids["customers"]}`,
]);
