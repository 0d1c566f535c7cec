import { searchRecords } from "../../flows/search/search-records.ts";
import { assert } from "../../kernel/assert.ts";
import { SearchQuery, SearchResults } from "../../modules/search/schema.ts";
import { endpoint } from "../endpoint.ts";

/** Interface 14.2, search. */
export const searchEndpoints = [
  endpoint({
    audience: "staff",
    tag: { name: "Search", about: "All records at once." },
    method: "GET",
    path: "/search",
    summary: "Find records of any kind by name, e-mail address, number, reference, external reference, amount or id",
    permission: "overview:read",
    query: SearchQuery,
    replies: { 200: SearchResults },
    async handle({ member, query: { q = "", limit } }, tx) {
      assert(member, "only staff search");
      return { status: 200, body: await searchRecords(tx, member.role, q, limit) };
    },
  }),
];
