import { changeSettings, currentSettings, readNewLogo } from "../../flows/organisations/settings.ts";
import { cents } from "../../kernel/money.ts";
import { SettingsObject, SettingsPatch } from "../../modules/organisations/schema.ts";
import { endpoint, type Tag } from "../endpoint.ts";

/** How endpoints of settings are grouped. */
export const SETTINGS: Tag = { name: "Settings", about: "How the organisation wants things done." };
const common = { audience: "staff", tag: SETTINGS, path: "/settings" } as const;

/** Interface 14.2, settings. */
export const settingsEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    summary: "The organisation's settings",
    permission: "settings:read",
    replies: { 200: SettingsObject },
    async handle(_call, tx) {
      return { status: 200, body: await currentSettings(tx) };
    },
  }),
  endpoint({
    ...common,
    method: "PATCH",
    edits: true,
    summary: "Change settings",
    permission: "settings:write",
    body: SettingsPatch,
    // Who could raise the limit could do without it.
    moves: async ({ body: { reauthenticationLimit: limit } }, tx) =>
      limit === undefined || limit === (await currentSettings(tx)).reauthenticationLimit
        ? null
        : cents(Number.MAX_SAFE_INTEGER),
    replies: { 200: SettingsObject },
    prepare: ({ services, body }) => readNewLogo(services.renderer, body),
    async handle({ ctx, body }, tx, logo) {
      const { before, after } = await changeSettings(tx, ctx, body, logo);
      return { status: 200, body: after, audit: { subject: "settings", before, after } };
    },
  }),
];
