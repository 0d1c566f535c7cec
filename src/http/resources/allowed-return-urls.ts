import { allowReturnUrls } from "../../flows/organisations/allow-return-urls.ts";
import { AllowedReturnUrls } from "../../modules/allowed-return-urls/schema.ts";
import { listAllowedOrigins } from "../../modules/allowed-return-urls/store.ts";
import { endpoint } from "../endpoint.ts";
import { SETTINGS } from "./settings.ts";

const common = { audience: "staff", tag: SETTINGS, path: "/allowed-return-urls" } as const;

/** The endpoints of interface 14.2, allowed return URLs. */
export const allowedReturnUrlEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    summary: "Origins that return URLs may have",
    permission: "settings:read",
    replies: { 200: AllowedReturnUrls },
    async handle(_call, tx) {
      return { status: 200, body: { origins: await listAllowedOrigins(tx) } };
    },
  }),
  endpoint({
    ...common,
    method: "PUT",
    edits: true,
    summary: "Replace the origins that return URLs may have",
    permission: "settings:write",
    body: AllowedReturnUrls,
    replies: { 200: AllowedReturnUrls },
    async handle({ ctx, body }, tx) {
      const { before, after } = await allowReturnUrls(tx, ctx, body.origins);
      const [old, shown] = [before, after].map((origins) => ({ origins }));
      return { status: 200, body: shown, audit: { subject: "allowed-return-urls", before: old, after: shown } };
    },
  }),
];
