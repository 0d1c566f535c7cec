import { currentSettings } from "../../flows/organisations/settings.ts";
import { accentPalette } from "../../kernel/colour.ts";
import { CheckoutPageObject, CheckoutPagePut, CheckoutPreview } from "../../modules/checkout-pages/schema.ts";
import { readDesign, saveDesign } from "../../modules/checkout-pages/store.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import { lockSettings } from "../../modules/organisations/store.ts";
import { endpoint } from "../endpoint.ts";
import { previewOf } from "../pages/checkout/preview.ts";

const common = {
  audience: "staff",
  tag: { name: "Checkout pages", about: "How checkout pages look, and what they ask of customers." },
  path: "/checkout-pages",
} as const;

/** The endpoints of interface 14.2, checkout pages. */
export const checkoutPageEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    summary: "Get the design of checkout pages",
    permission: "checkout_pages:read",
    replies: { 200: CheckoutPageObject },
    async handle(_call, tx) {
      return { status: 200, body: await readDesign(tx) };
    },
  }),
  endpoint({
    ...common,
    method: "PUT",
    edits: true,
    summary: "Replace the design of checkout pages; a field that is left out gets its default",
    permission: "checkout_pages:write",
    body: CheckoutPagePut,
    replies: { 200: CheckoutPageObject },
    async handle({ body }, tx) {
      await lockSettings(tx);
      const before = await readDesign(tx);
      saveDesign(tx, body);
      return { status: 200, body, audit: { subject: "checkout-pages", before, after: body } };
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/checkout-pages/preview",
    operationId: "previewCheckoutPages",
    summary: "Show the pages of a design, in each template, without saving it",
    permission: "checkout_pages:read",
    onlyReads: true,
    body: CheckoutPagePut,
    replies: { 200: CheckoutPreview },
    async handle({ ctx, body: design }, tx) {
      const [settings, accounts] = await Promise.all([currentSettings(tx), listGatewayAccounts(tx)]);
      const { accent, onAccent, ink } = accentPalette(design.accentColour ?? settings.branding.accentColour);
      const pages = previewOf(ctx, { settings, design }, accounts);
      return { status: 200, body: { colours: { accent, onAccent, ink }, ...pages } };
    },
  }),
];
