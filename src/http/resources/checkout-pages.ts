import { CheckoutPageObject, CheckoutPagePut } from "../../modules/checkout-pages/schema.ts";
import { readDesign, saveDesign } from "../../modules/checkout-pages/store.ts";
import { endpoint } from "../endpoint.ts";

const common = {
  audience: "staff",
  tag: { name: "Checkout pages", about: "How checkout pages look, and what they ask of customers." },
  path: "/checkout-pages",
} as const;

/** Interface 14.2, checkout pages. */
export const checkoutPageEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    summary: "How checkout pages look",
    permission: "checkout_pages:read",
    replies: { 200: CheckoutPageObject },
    async handle(_call, tx) {
      return { status: 200, body: await readDesign(tx) };
    },
  }),
  endpoint({
    ...common,
    method: "PUT",
    summary: "Replace how checkout pages look; what is left out gets its default",
    permission: "checkout_pages:write",
    body: CheckoutPagePut,
    replies: { 200: CheckoutPageObject },
    async handle({ body }, tx) {
      const before = await readDesign(tx);
      saveDesign(tx, body);
      return { status: 200, body, audit: { subject: "checkout-pages", before, after: body } };
    },
  }),
];
