import assert from "node:assert/strict";
import { test } from "node:test";
import { statementsIn } from "./sql-statements.ts";

for (const { what, sql, statements } of [
  { what: "two statements", sql: "select 1;\nselect 2;\n", statements: ["select 1", "select 2"] },
  { what: "a last one without its end", sql: "select 1; select 2", statements: ["select 1", "select 2"] },
  {
    what: "an end within a text",
    sql: "select 'a; it''s b'; select 2",
    statements: ["select 'a; it''s b'", "select 2"],
  },
  { what: "an end within a name", sql: 'select "a;b"; select 2', statements: ['select "a;b"', "select 2"] },
  { what: "an end within a comment", sql: "-- a; b\nselect 1; /* c; d */", statements: ["-- a; b\nselect 1"] },
  {
    what: "a quotation mark within a comment",
    sql: "-- it's\nselect 1; select 2",
    statements: ["-- it's\nselect 1", "select 2"],
  },
  {
    what: "a body",
    sql: "do $$ begin perform 1; end $$; select 2",
    statements: ["do $$ begin perform 1; end $$", "select 2"],
  },
  {
    what: "a body within a body",
    sql: "do $a$ begin execute $$ select 1; $$; end $a$; select 2",
    statements: ["do $a$ begin execute $$ select 1; $$; end $a$", "select 2"],
  },
  { what: "nothing", sql: " ;\n-- end;\n", statements: [] },
])
  test(`statements of a file with ${what}`, () => assert.deepEqual(statementsIn(sql), statements));
