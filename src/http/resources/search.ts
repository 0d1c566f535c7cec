import { nameRecords } from "../../flows/search/name-records.ts";
import type { RecordKinds } from "../../flows/search/record-kind.ts";
import { relatedRecords } from "../../flows/search/related-records.ts";
import { type MayRead, searchedKinds, searchRecords } from "../../flows/search/search-records.ts";
import { assert } from "../../kernel/assert.ts";
import { mayDo } from "../../modules/members/rules.ts";
import {
  RecordNames,
  RecordNamesQuery,
  RelatedRecordsQuery,
  relatedRecordsOf,
  SearchQuery,
  searchResults,
} from "../../modules/search/schema.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import { mayReadByKey } from "../key-scopes.ts";

const common = { audience: "staff", tag: { name: "Search", about: "All records at once." } } as const;

/** The relation of a record to another one. `about`: the record that a mail is about. */
const relationsOf = (kinds: RecordKinds): readonly string[] => [
  "about",
  ...[...kinds.values()].flatMap(({ noun }) => noun ?? []),
];

/** The endpoints of interface 14.2, search. */
export const searchEndpoints = (kinds: RecordKinds): readonly Endpoint[] => [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/search",
    operationId: "search",
    summary: "Find records of any kind by name, e-mail address, number, reference, external reference, amount or id",
    permission: "overview:read",
    scope: null,
    query: SearchQuery,
    replies: { 200: searchResults(searchedKinds(kinds).map(({ noun }) => noun)) },
    async handle({ ctx, member, query: { q = "", limit } }, tx) {
      const scopes = ctx.actor.limits?.scopes ?? null;
      const mayRead: MayRead = (permission) =>
        member ? mayDo(member.role, permission) : mayReadByKey(scopes, permission);
      return { status: 200, body: await searchRecords(tx, kinds, mayRead, q, limit) };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/record-names",
    summary: "What records of any kinds are called, and where they are shown",
    permission: "overview:read",
    query: RecordNamesQuery,
    replies: { 200: RecordNames },
    async handle({ member, query: { ids } }, tx) {
      assert(member, "only staff ask for names");
      return { status: 200, body: { data: await nameRecords(tx, kinds, member.role, ids) } };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/related-records",
    summary: "Where the payer sees a record, and the records that it concerns",
    permission: "overview:read",
    query: RelatedRecordsQuery,
    replies: { 200: relatedRecordsOf(relationsOf(kinds)) },
    async handle({ ctx, member, query: { subject } }, tx) {
      assert(member, "only staff ask for related records");
      return { status: 200, body: await relatedRecords(tx, ctx, kinds, member.role, subject) };
    },
  }),
];
