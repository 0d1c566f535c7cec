import { PDF } from "../../flows/documents/parties.ts";
import { sampleBySettings, samplePdf } from "../../flows/documents/preview-settings.ts";
import { withCutOff } from "../../flows/gateways/debit-cut-off.ts";
import { changeSettings, currentSettings, readNewLogo, settingsObject } from "../../flows/organisations/settings.ts";
import { cents } from "../../kernel/money.ts";
import { readDesign } from "../../modules/checkout-pages/store.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import {
  FormDefaultsObject,
  SettingsObject,
  SettingsPatch,
  SettingsPreview,
} from "../../modules/organisations/schema.ts";
import { downloadEndpoint, endpoint, type Tag } from "../endpoint.ts";
import { previewOf } from "../pages/checkout/preview.ts";
import { payPagePreview } from "../pages/pay/preview.ts";
import { mailBody } from "../replies.ts";

/** How endpoints of settings are grouped. */
export const SETTINGS: Tag = { name: "Settings", about: "The settings of the organisation." };
const common = { audience: "staff", tag: SETTINGS, path: "/settings" } as const;

/** The endpoints of interface 14.2, settings. */
export const settingsEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    summary: "Get the organisation's settings",
    permission: "settings:read",
    replies: { 200: SettingsObject },
    async handle({ ctx }, tx) {
      return { status: 200, body: settingsObject(ctx, await withCutOff(tx, await currentSettings(tx))) };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/settings/defaults",
    operationId: "getFormDefaults",
    summary: "Get what forms begin with: the rate of VAT, and whether prices and payments include it",
    permission: "overview:read",
    replies: { 200: FormDefaultsObject },
    async handle({ ctx }, tx) {
      const settings = settingsObject(ctx, await currentSettings(tx));
      const { vatRate, taxInclusivePrices, paymentsIncludeVat, vatCategory } = settings;
      return { status: 200, body: { vatRate, taxInclusivePrices, paymentsIncludeVat, vatCategory } };
    },
  }),
  endpoint({
    ...common,
    method: "PATCH",
    edits: true,
    summary: "Change settings",
    permission: "settings:write",
    body: SettingsPatch,
    // Changing the limit always needs a recent sign-in: otherwise it could be raised before a large change.
    moves: async ({ body: { reauthenticationLimit: limit } }, tx) =>
      limit === undefined || limit === (await currentSettings(tx)).reauthenticationLimit
        ? null
        : cents(Number.MAX_SAFE_INTEGER),
    replies: { 200: SettingsObject },
    prepare: ({ ctx, services, body }) => readNewLogo(services.renderer, ctx, body),
    async handle({ ctx, body }, tx, logo) {
      const changed = await changeSettings(tx, ctx, body, logo);
      const before = settingsObject(ctx, await withCutOff(tx, changed.before));
      const after = settingsObject(ctx, await withCutOff(tx, changed.after));
      return { status: 200, body: after, audit: { subject: "settings", before, after } };
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/settings/preview",
    operationId: "previewSettings",
    summary: "Show pages and a mail as settings would make them, without saving these",
    permission: "settings:read",
    onlyReads: true,
    body: SettingsPatch,
    replies: { 200: SettingsPreview },
    async handle({ ctx, services, body }, tx) {
      const { settings, invoice, mail, taxInvoice } = await sampleBySettings(tx, ctx, body);
      const [design, accounts] = await Promise.all([readDesign(tx), listGatewayAccounts(tx)]);
      const { mailEnabled } = services;
      return {
        status: 200,
        body: {
          pages: {
            pay: payPagePreview(ctx, { settings, invoice, accounts, mailEnabled }),
            checkout: previewOf(ctx, { settings, design }, accounts).templates[design.template],
          },
          mail: mailBody(mail),
          taxInvoice,
        },
      };
    },
  }),
  downloadEndpoint({
    ...common,
    method: "POST",
    path: "/settings/preview/invoice.pdf",
    operationId: "previewInvoicePdf",
    summary: "A sample invoice by settings that are not saved",
    permission: "settings:read",
    onlyReads: true,
    body: SettingsPatch,
    media: PDF,
    download: ({ ctx, services, body }) => samplePdf(services, ctx, body),
  }),
];
