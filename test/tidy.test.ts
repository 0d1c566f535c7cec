import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { PLATFORM_RECORD } from "../src/domain/platform-tables.ts";
import { isTenantTable, OTHER_PLACES } from "../src/platform/distribution.ts";
import { refuse, statement, store, tree, where } from "./support/findings.ts";
import { interfaceSections } from "./support/interface-docs.ts";
import { lineAt, listFiles, parseSource, ROOT, readSources } from "./support/source.ts";
import { type Citable, citationFindings, decisionAnchors } from "./support/tidy-citations.ts";
import { CODE_RULES } from "./support/tidy-code.ts";
import {
  cycleFindings,
  layerFindings,
  orphanFindings,
  renderingFindings,
  uncataloguedFindings,
} from "./support/tidy-imports.ts";
import {
  headerFindings,
  literalNameFindings,
  platformTableFindings,
  sqlClockFindings,
  sqlHomeFindings,
  tenantFindings,
  writerFindings,
} from "./support/tidy-sql.ts";
import {
  isText,
  machineFindings,
  misplacedTests,
  missingFromLock,
  moduleFileFindings,
  type TextFile,
  twoHomeFindings,
  uncalledFunctions,
  unfinishedFindings,
} from "./support/tidy-tree.ts";

const sources = readSources("src", "test", "scripts", "bench", "dashboard", "clients", "integrations");
const product = sources.filter(({ path }) => path.startsWith("src/"));
const paths = listFiles();
const texts: TextFile[] = paths.filter(isText).map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));

/** Every table of the database. */
const tablesOfSchema = new Set(
  [...readFileSync(join(ROOT, "schema.sql"), "utf8").matchAll(/^create table (\w+)/gm)].map(([, name = ""]) => name),
);

/** Documents that are not in the repository: citations that begin with these words are refused. */
const RETIRED_DOCUMENTS: readonly string[] = ["spec", "contract", "design"];

for (const rule of CODE_RULES) {
  test(rule.name, () => {
    const applying = (path: string, text: string) => (rule.applies(path) ? rule.find(parseSource(path, text)) : []);
    assert.notDeepEqual(applying(...rule.bad), [], "the rule finds its bad sample");
    assert.deepEqual(applying(...rule.good), [], "the rule passes its good sample");
    refuse(
      sources
        .filter(({ path }) => rule.applies(path))
        .flatMap((source) =>
          rule.find(source).map(({ at, what }) => ({
            file: source.path,
            line: lineAt(source.text, at),
            mend: what === undefined ? rule.mend : `${what}: ${rule.mend}`,
          })),
        ),
    );
  });
}

describe("imports", () => {
  test("go down the layers, never between modules, and packages stay in their homes", () => {
    const sample = tree({
      "src/kernel/money.ts": 'import type { Tx } from "../platform/database.ts";\nimport { z } from "zod";',
      "src/modules/quotes/rules.ts": 'import { pay } from "../invoices/rules.ts";\nimport { z } from "zod";',
      "src/modules/quotes/schema.ts": 'import { z } from "zod";\nimport type { Quote } from "./types.ts";',
      "src/http/server.ts": 'export { run } from "../worker/run-due.ts";\nimport { pay } from "../flows/pay.ts";',
      "src/flows/pay.ts":
        'type Client = import("pg").Client;\nimport { receiptMail } from "../templates/mails/receipt.ts";',
      "src/flows/mail/receipts.ts": 'import { receiptMail } from "../../templates/mails/receipt.ts";',
      "src/templates/mails/receipt.ts":
        'import { find } from "../../modules/payments/store.ts";\nimport { a } from "../../modules/payments/rules.ts";',
      "src/modules/quotes/verify.ts": 'import { examination } from "../../platform/examined.ts";',
      "src/modules/quotes/store.ts": 'import { examination } from "../../platform/examined.ts";',
      "src/tools/x.ts": 'await import("../kernel/money.ts");',
      "src/domain/invoices.ts":
        'import { part } from "../platform/database.ts";\nimport { find } from "../modules/invoices/store.ts";',
    });
    assert.deepEqual(where(layerFindings(sample)), [
      "src/kernel/money.ts:1",
      "src/kernel/money.ts:2",
      "src/modules/quotes/rules.ts:1",
      "src/modules/quotes/rules.ts:2",
      "src/http/server.ts:1",
      "src/flows/pay.ts:2",
      "src/flows/pay.ts:1",
      "src/templates/mails/receipt.ts:1",
      "src/modules/quotes/store.ts:1",
      "src/tools/x.ts:1",
      "src/domain/invoices.ts:2",
    ]);
    refuse(layerFindings(product));
  });

  test("make no circle", () => {
    const sample = tree({
      "src/kernel/a.ts": 'import "./b.ts";',
      "src/kernel/b.ts": '\nimport type { C } from "./c.ts";',
      "src/kernel/c.ts": 'export * from "./a.ts";\nimport "./d.ts";',
      "src/kernel/d.ts": "",
    });
    assert.deepEqual(where(cycleFindings(sample)), ["src/kernel/c.ts:1"]);
    refuse(cycleFindings(product));
  });

  test("of a template that has mails and pages render in their declarations and in src/http alone", () => {
    const sample = tree({
      "src/templates/quote.ts": 'import { renderMail } from "./mails/layout.ts";',
      "src/http/resources/quotes.ts": 'import { quotePage } from "../../templates/quote.ts";\nquotePage();',
      "src/flows/quotes/quotes.ts":
        'import { quoteMail } from "../../templates/quote.ts";\nconst A = declareMail("a", () => quoteMail());\nquoteMail();',
    });
    assert.deepEqual(where(renderingFindings(sample)), ["src/flows/quotes/quotes.ts:3"]);
    refuse(renderingFindings(product));
  });

  test("take every event, kind of due work and mail into the catalogue", () => {
    const sample = tree({
      "src/catalogue/quotes.ts":
        'import * as quotes from "../modules/quotes/declarations.ts";\nimport { SENT } from "../modules/mails/schema.ts";',
      "src/modules/quotes/declarations.ts": 'export const QUOTE_EXPIRE = dueWork("quote.expire");',
      "src/modules/mails/schema.ts":
        'export const SENT = event("mail.sent", {});\nexport const LOST = event("mail.lost", {});',
      "src/flows/mails/mails.ts": 'export const LATE_MAIL = declareMail<Facts>("late", compose);',
    });
    assert.deepEqual(where(uncataloguedFindings(sample)), [
      "src/modules/mails/schema.ts:2",
      "src/flows/mails/mails.ts:1",
    ]);
    refuse(uncataloguedFindings(product));
  });

  test("reach every file from src/bin", () => {
    const sample = tree({
      "src/bin/serve.ts": 'import "../kernel/a.ts";',
      "src/kernel/a.ts": "",
      "src/kernel/b.ts": "",
      "src/kernel/b.test.ts": 'import "./b.ts";',
    });
    assert.deepEqual(where(orphanFindings(sample)), ["src/kernel/b.ts:1"]);
    refuse(orphanFindings(product));
  });
});

describe("SQL", () => {
  test("stands in stores, examinations, events, domain and platform only", () => {
    const sample = tree({
      "src/flows/a.ts": `const words = "update the row";\n${statement("select 1 from a")}`,
      "src/modules/quotes/rules.ts": 'const text = "delete from quotes";',
      "src/modules/quotes/store.ts": statement("select 1 from a"),
      "src/modules/quotes/verify.ts": statement("select 1 from a"),
    });
    assert.deepEqual(where(sqlHomeFindings(sample)), ["src/flows/a.ts:2", "src/modules/quotes/rules.ts:1"]);
    refuse(sqlHomeFindings(product));
  });

  test("writes each table from one module", () => {
    const sample = [
      ...store("invoices", statement("insert into invoices (id) values (1) on conflict do update set id = 2")),
      ...store(
        "quotes",
        `${statement("select 1 from invoices for update skip locked -- update invoices set x = 1")}
         ${statement("with a as (select 1) update invoices as i set id = 1 where 1 = 1")}
         ${statement(`delete from $\{table}`)}`,
      ),
    ];
    assert.deepEqual(where(writerFindings(sample)), ["src/modules/quotes/store.ts:2", "src/modules/quotes/store.ts:3"]);
    const examining = tree({ "src/modules/quotes/verify.ts": statement("delete from quotes") });
    assert.deepEqual(where(writerFindings(examining)), ["src/modules/quotes/verify.ts:1"]);
    refuse(writerFindings(product));
  });

  test("of a module is named at the top of its file: what it writes, and what it reads of others", () => {
    const tables = new Set(["quotes", "quote_lines", "customers"]);
    const sql = statement("select 1 from quotes join customers c on true") + statement("delete from quotes");
    const says = (header: string) => where(headerFindings(store("quotes", `${header}\n${sql}`), tables));
    assert.deepEqual(says("// Writes: quotes. Reads: customers (short object; quote_lines)."), []);
    assert.deepEqual(says("// Writes: quotes.\n// Reads: customers."), []);
    for (const wrong of [
      "",
      "// Writes: quotes. Reads nothing else.",
      "// Writes: quotes, quote_lines. Reads: customers.",
    ])
      assert.deepEqual(says(wrong), ["src/modules/quotes/store.ts:1"]);
    refuse(headerFindings(product, tablesOfSchema));
  });

  test("of the platform is on its own tables", () => {
    const sample = tree({
      "src/platform/a.ts": statement("select 1 from due_work join quotes q on true join organisations o on true"),
    });
    const [own, all] = [new Set(["due_work"]), new Set(["due_work", "quotes", "organisations"])];
    assert.deepEqual(where(platformTableFindings(sample, all, own)), ["src/platform/a.ts:1"]);
    refuse(platformTableFindings(product, tablesOfSchema, new Set(Object.keys(PLATFORM_RECORD.tables))));
  });

  test("names the organisation in every statement on a tenant table", () => {
    const sample = store(
      "quotes",
      `${statement("select 1 from quotes where id = 1")}
       ${statement("select 1 from quotes where organisation_id = 1")}
       ${statement("select 1 from migrations")}
       ${statement("select 1 from organisation_by_slug(1)")}
       ${statement("with own as (select 1 from migrations) select 1 from own")}`,
    );
    assert.deepEqual(where(tenantFindings(sample, new Set(["migrations"]))), ["src/modules/quotes/store.ts:1"]);
    refuse(tenantFindings(product, new Set(Object.keys(OTHER_PLACES).filter((name) => !isTenantTable(name)))));
  });

  test("of migrations stands in files with a number each", () => {
    const numbers = readdirSync(join(ROOT, "migrations"))
      .filter((name) => name.endsWith(".sql"))
      .map((name) => name.slice(0, 4));
    assert.deepEqual(
      numbers.filter((number, at) => numbers.indexOf(number) < at),
      [],
      "Give the newer of two migrations with one number the next free number.",
    );
  });

  test("names functions of the database that there are, each of which something calls", () => {
    const functions = texts.filter(({ path }) => path.startsWith("migrations/functions/"));
    const sample = [
      { path: "migrations/functions/a.sql", text: "create function a()" },
      { path: "migrations/functions/b.sql", text: "create function b() as $$ select a() $$" },
    ];
    assert.deepEqual(uncalledFunctions(sample, ["select a_b()"]), ["b"]);
    const calling = [
      ...product.map(({ text }) => text),
      readFileSync(join(ROOT, "migrations/0001-baseline.sql"), "utf8"),
    ];
    assert.deepEqual(
      uncalledFunctions(functions, calling),
      [],
      "Remove what nothing calls, by a migration of a later version.",
    );
  });

  test("names events and kinds of due work by their declarations", () => {
    const asked = (sql: string) => where(literalNameFindings(store("quotes", statement(sql)))).length;
    assert.equal(asked("select 1 from due_work where kind = 'quote.expire'"), 1);
    assert.equal(asked("select 1 from due_work where kind = $" + "{QUOTE_EXPIRE.kind} and subject = 'q'"), 0);
    refuse(literalNameFindings(product));
  });

  test("of the modules takes the time as a parameter", () => {
    const sample = store(
      "quotes",
      `${statement("select 1 from a where t < now()")} ${statement("select nowhere from a")}`,
    );
    assert.deepEqual(where(sqlClockFindings(sample)), ["src/modules/quotes/store.ts:1"]);
    refuse(sqlClockFindings(product));
  });
});

describe("files", () => {
  test("of a module carry the fixed names", () => {
    const sample = [
      "store.ts",
      "rules.vat.test.ts",
      "store.db.test.ts",
      "rules/vat.ts",
      "schema/lines.ts",
      "helpers.ts",
    ];
    const found = moduleFileFindings(sample.map((name) => `src/modules/quotes/${name}`));
    assert.deepEqual(where(found), ["src/modules/quotes/helpers.ts:1"]);
    refuse(moduleFileFindings(paths));
  });

  test("of tests through the API stand in test/api", () => {
    assert.deepEqual(where(misplacedTests(["src/http/resources/quotes.db.test.ts", "src/http/health.db.test.ts"])), [
      "src/http/resources/quotes.db.test.ts:1",
    ]);
    refuse(misplacedTests(paths));
  });

  test("of a module have one home: a file, or a folder", () => {
    const sample = ["quotes/store.ts", "quotes/store/lines.ts", "plans/store.ts", "plans/rules/prices.ts"];
    const found = twoHomeFindings(sample.map((name) => `src/modules/${name}`));
    assert.deepEqual(where(found), ["src/modules/quotes/store.ts:1"]);
    refuse(twoHomeFindings(paths));
  });

  test("cite sections of docs/interface and decisions that exist, and each decision", () => {
    const page = { path: "docs/decisions.md", text: "# Decisions\n\n### Late success wins\n" };
    const known = {
      sections: new Set(["4", "4.8"]),
      decisions: decisionAnchors(page.text),
      retired: ["paper"],
    };
    const cited = "decisions.md#late-success-wins";
    const findings = (text: string, self = "") =>
      where(
        citationFindings(
          [
            { path: "a.ts", text },
            { ...page, text: page.text + self },
          ],
          known,
        ),
      );
    assert.deepEqual(findings(`interface 4.8 and 4 (${cited}); interface Name {`), []);
    for (const wrong of [
      "interface 4.9",
      "Interface 4, 5",
      "interface 4.8 and 5.1",
      "decisions.md#late-success",
      "decision 8",
      "decisions\n * 7, 9",
      "paper part 4",
    ])
      assert.deepEqual(findings(`${cited}\n${wrong}`), ["a.ts:2"], wrong);
    assert.deepEqual(findings("", cited), ["docs/decisions.md:3"]);
    const citable: Citable = {
      sections: new Set(interfaceSections().flatMap(({ number }) => number ?? [])),
      decisions: decisionAnchors(readFileSync(join(ROOT, "docs/decisions.md"), "utf8")),
      retired: RETIRED_DOCUMENTS,
    };
    const citing = texts.filter(({ path }) =>
      /^(src|test|bench|scripts|clients|migrations|dashboard\/src)\/|\.md$/.test(path),
    );
    refuse(
      citationFindings(
        citing.filter(({ path }) => path !== "test/tidy.test.ts"),
        citable,
      ),
    );
  });

  test("hold no notes to oneself", () => {
    const note = `${"TO"}${"DO"}`;
    assert.deepEqual(where(unfinishedFindings([{ path: "a.ts", text: `ok\n// ${note}: later` }])), ["a.ts:2"]);
    refuse(unfinishedFindings(texts));
  });

  test("name no path of a machine and no package registry", () => {
    const bad = ["const a = '/ho", "me/ann/x';\nregis", "try.npmjs.org"].join("");
    assert.deepEqual(where(machineFindings([{ path: "a.ts", text: bad }])), ["a.ts:1", "a.ts:2"]);
    assert.deepEqual(machineFindings([{ path: "a.ts", text: 'fetch("/portal/home/x"); import "./work/x.ts"' }]), []);
    const lock = { path: "package-lock.json", text: readFileSync(join(ROOT, "package-lock.json"), "utf8") };
    refuse(machineFindings([...texts, lock]));
  });

  test("say why each package is here, and the image runs what npm start runs", () => {
    const [manifest = "", reasons = "", image = ""] = ["package.json", "docs/dependencies.md", "Dockerfile"].map(
      (path) => readFileSync(join(ROOT, path), "utf8"),
    );
    const { dependencies, devDependencies, scripts } = JSON.parse(manifest) as Record<string, Record<string, string>>;
    const names = Object.keys({ ...dependencies, ...devDependencies });
    assert.deepEqual(
      names.filter((name) => !reasons.includes(`\`${name}\``)),
      [],
    );
    const command = JSON.stringify(scripts?.["start"]?.replace(/^exec /, "").split(" "));
    assert(image.includes(`CMD ${command.replaceAll(",", ", ")}`), `the Dockerfile's CMD is not ${command}`);
  });

  test("list the packages of every platform, so that npm ci works on each", () => {
    const sample = { packages: { "node_modules/a": { optionalDependencies: { "a-linux": "1", "a-mac": "1" } } } };
    assert.deepEqual(missingFromLock({ packages: { ...sample.packages, "node_modules/a-linux": {} } }), ["a-mac"]);
    assert.deepEqual(missingFromLock(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"))), []);
  });
});
