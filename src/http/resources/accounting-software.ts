import { z } from "zod";
import {
  changeCodes,
  documentsFile,
  journalFile,
  readSoftware,
  softwareOf,
} from "../../flows/accounting/software-files.ts";
import { AccountingSoftwareObject, AccountingSoftwarePatch } from "../../modules/accounting-software/schema.ts";
import { currency, oneOf, pageQuery } from "../../platform/schema.ts";
import { date } from "../../platform/schema-dates.ts";
import { downloadEndpoint, endpoint } from "../endpoint.ts";
import { listBody, listOf, ONLY_PAGE } from "../lists.ts";

const common = {
  audience: "staff",
  tag: { name: "Accounting", about: "Figures for the books and the revenue service, and accounting partners." },
} as const;
const params = z.object({ software: z.string() });

const period = {
  from: date().describe("The first day, a South African day; included."),
  to: date().describe("The last day; included, at most 36 months after the first."),
  currency: currency().default("ZAR").describe("A file has amounts in one currency; ZAR when it is left out."),
};

const MEDIA = "text/csv";
const file = { ...common, permission: "exports:read", also: ["accounting:read"], params, media: MEDIA } as const;
const named = (software: string, what: string, { from, to }: { from: string; to: string }) => ({
  contentType: `${MEDIA}; charset=utf-8`,
  fileName: `${software}-${what}-${from}-${to}.csv`,
});

const documents = (what: "invoices" | "credit-notes", kind: "invoice" | "credit_note") =>
  downloadEndpoint({
    ...file,
    path: `/exports/{software}/${what}.csv`,
    summary: `The ${what.replace("-", " ")} of a period as the file that accounting software imports`,
    query: z.object(period),
    async download({ ctx, services, params: { software }, query }) {
      const content = await documentsFile(services, ctx, softwareOf(software), kind, query);
      return { content, ...named(software, what, query) };
    },
  });

/** The endpoints of interface 18.8. */
export const accountingSoftwareEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    path: "/accounting/software",
    summary: "List the accounting software that files are made for, with its codes of accounts and VAT",
    permission: "accounting:read",
    query: pageQuery(["sft"], {}),
    replies: { 200: listOf(AccountingSoftwareObject) },
    async handle(_call, tx) {
      return { status: 200, body: listBody(await readSoftware(tx), ONLY_PAGE) };
    },
  }),
  endpoint({
    ...common,
    method: "PATCH",
    edits: true,
    path: "/accounting/software/{software}",
    summary: "Change what accounting software calls the ledger accounts and VAT",
    permission: "accounting:write",
    params,
    body: AccountingSoftwarePatch,
    replies: { 200: AccountingSoftwareObject },
    async handle({ params: { software }, body }, tx) {
      const { before, after } = await changeCodes(tx, softwareOf(software), body);
      return { status: 200, body: after, audit: { subject: software, before, after } };
    },
  }),
  documents("invoices", "invoice"),
  documents("credit-notes", "credit_note"),
  downloadEndpoint({
    ...file,
    path: "/exports/{software}/journal.csv",
    summary: "The journal of a period as the file that accounting software imports",
    query: z.object({
      ...period,
      by: oneOf(["day", "month"] as const).describe("One journal for each day, the default, or for each month."),
      documents: oneOf(["apart", "included"] as const).describe(
        "`apart`, the default, leaves out what the files of invoices and credit notes post; `included` is the whole of the books.",
      ),
    }),
    async download({
      ctx,
      services,
      params: { software },
      query: { by = "day", documents: shown = "apart", ...query },
    }) {
      const wanted = { ...query, by, apart: shown === "apart" };
      const content = await journalFile(services, ctx, softwareOf(software), wanted);
      return { content, ...named(software, "journal", query) };
    },
  }),
];
