import { type Function as AnyFunction, type ArrowFunctionExpression, type Statement, Visitor } from "oxc-parser";
import { isGenerated, isTestFile, lineAt, type Source } from "./source.ts";

/** A place where a rule is broken: an offset in the text, and a detail in addition to the rule's name. */
export interface Hit {
  readonly at: number;
  readonly what?: string;
}

/** A rule about one file. `bad` and `good` are `[path, text]`: the rule must find the first and pass the second. */
export interface CodeRule {
  readonly name: string;
  readonly mend: string;
  applies(path: string): boolean;
  find(source: Source): Hit[];
  readonly bad: readonly [path: string, text: string];
  readonly good: readonly [path: string, text: string];
}

const inProduct = (path: string) => path.startsWith("src/") && !isTestFile(path);
const inBusiness = (path: string) => inProduct(path) && /^src\/(flows|modules|gateways|http\/\w+)\//.test(path);

/** The files that may read the machine's clock: leases, rate windows, logs, ids, and `now` itself; `kernelPurity` holds the kernel. */
const MACHINE_TIME = [
  /^src\/kernel\/time\.ts$/,
  /^src\/platform\//,
  /^src\/flows\/context\.ts$/,
  /^src\/worker\/[^/]+\.ts$/,
  /^src\/http\/rate-limit\.ts$/,
  /^src\/bin\//,
];
const mayReadMachineTime = (path: string) => MACHINE_TIME.some((pattern) => pattern.test(path));

type Visits = ConstructorParameters<typeof Visitor>[0];

function visit(source: Source, makeVisits: (hit: (at: number, what?: string) => void) => Visits): Hit[] {
  const hits: Hit[] = [];
  new Visitor(makeVisits((at, what) => hits.push(what === undefined ? { at } : { at, what }))).visit(source.program);
  return hits;
}

/** `Date.now` for a call of it, `null` when the callee is not two plain names. */
function calleeName(callee: { type: string }): string | null {
  const node = callee as { type: string; object?: { type: string; name?: string }; property?: { name?: string } };
  if (node.type !== "MemberExpression" || !node.property?.name) return null;
  const object = node.object?.type === "Identifier" ? node.object.name : "";
  return `${object}.${node.property.name}`;
}

const machineTime: CodeRule = {
  name: "business code never reads the machine's clock or does Date arithmetic",
  mend: "take `now: Instant` as a parameter and use the functions of src/kernel/time.ts",
  applies: (path) => inProduct(path) && !mayReadMachineTime(path),
  find: (source) =>
    visit(source, (hit) => ({
      NewExpression: (node) => {
        if (node.callee.type === "Identifier" && node.callee.name === "Date") hit(node.start, "new Date()");
      },
      CallExpression: (node) => {
        const name = calleeName(node.callee);
        if (name === "Date.now" || name === "Date.parse" || name === "Date.UTC") hit(node.start, `${name}()`);
        if (node.callee.type === "Identifier" && /^(Date|machineNow)$/.test(node.callee.name))
          hit(node.start, `${node.callee.name}()`);
      },
      MemberExpression: (node) => {
        if (calleeName(node) === "Temporal.Now") hit(node.start, "Temporal.Now");
      },
      ImportSpecifier: (node) => {
        if (node.imported.type === "Identifier" && node.imported.name === "machineNow") hit(node.start, "machineNow");
      },
    })),
  bad: ["src/flows/a.ts", 'const at = new Date("2026-03-31");'],
  good: ["src/flows/a.ts", "// Date.now() in words\nconst at = (now: Date) => now;"],
};

const DATE_METHOD =
  /\.(?:toISOString|(?:get|set)(?:Time|(?:UTC)?(?:FullYear|Month|Date|Day|Hours|Minutes|Seconds|Milliseconds)))$/;

const dateArithmetic: CodeRule = {
  name: "dates are read, written and computed in src/kernel/time.ts alone",
  mend: "use a function of src/kernel/time.ts, or add one there (decisions.md#days-are-text)",
  applies: (path) => inProduct(path) && path !== "src/kernel/time.ts",
  find: (source) =>
    visit(source, (hit) => ({
      NewExpression: (node) => {
        if (node.callee.type === "Identifier" && node.callee.name === "Date") hit(node.start, "new Date()");
      },
      CallExpression: (node) => {
        const name = calleeName(node.callee) ?? "";
        if (name === "Date.parse" || name === "Date.UTC" || DATE_METHOD.test(name)) hit(node.start, name);
      },
      Identifier: (node) => {
        if (node.name === "Temporal") hit(node.start, "Temporal");
      },
    })),
  bad: ["src/platform/a.ts", "const a = Temporal.PlainDate.from(b), c = d?.getTime(), e = f.toISOString();"],
  good: ["src/platform/a.ts", "const a = unixSeconds(machineNow()), getTime = Date.now();"],
};

const kernelPurity: CodeRule = {
  name: "the kernel has no clock and no random values",
  mend: "take the value as a parameter, or make it in src/platform (machine-clock.ts, new-id.ts, random.ts)",
  applies: (path) => /^src\/kernel\//.test(path) && !isTestFile(path),
  find: (source) =>
    visit(source, (hit) => ({
      NewExpression: (node) => {
        if (node.callee.type === "Identifier" && node.callee.name === "Date" && node.arguments.length === 0)
          hit(node.start, "new Date()");
      },
      MemberExpression: (node) => {
        const name = calleeName(node) ?? "";
        if (/^(Date\.now|Math\.random|performance\.now|Temporal\.Now|crypto\.\w+|process\.\w+)$/.test(name))
          hit(node.start, name);
      },
    })),
  bad: ["src/kernel/a.ts", "export const made = () => Date.now() + Math.random();"],
  good: ["src/kernel/a.ts", "export const read = (text: string) => new Date(text);"],
};

/** Words of the product's resources in names. The statements of a bank are files of a format: they have words of their own. */
const PRODUCT =
  /customer|invoice|quote(?:Id|_id)|mandate|coupon|subscription|refund|reversal|creditNote|paymentLink|checkout/i;

const platformNames: CodeRule = {
  name: "the platform knows no resource of the product",
  mend: "move it to src/domain, or to the module whose resource it names",
  applies: (path) => inProduct(path) && /^src\/platform\/(?!bank-statements\/)/.test(path),
  find: (source) =>
    visit(source, (hit) => ({
      Identifier: (node) => {
        if (PRODUCT.test(node.name)) hit(node.start, node.name);
      },
    })),
  bad: ["src/platform/a.ts", "export const invoiceOf = (row: Row) => row.invoice_id;"],
  good: ["src/platform/a.ts", "/** Of customers. */ export const rowOf = (id: string) => id;"],
};

const catalogueDeclares: CodeRule = {
  name: "the catalogue only lists what resources declare",
  mend: "put what it does into the flow or the module that owns it, and list that here",
  applies: (path) => inProduct(path) && /^src\/catalogue(\.ts$|\/)/.test(path),
  find: (source) =>
    visit(source, (hit) => ({
      AwaitExpression: (node) => hit(node.start, "await"),
      TaggedTemplateExpression: (node) => hit(node.start, "a query"),
      Identifier: (node) => {
        if (node.name === "tx") hit(node.start, "tx");
      },
    })),
  bad: ["src/catalogue/sold.ts", "export const related = (tx: Tx) => tx.sql`select 1`;"],
  good: ["src/catalogue/sold.ts", "export const SOLD = [{ record: PLAN_RECORD }];"],
};

const floatMoney: CodeRule = {
  name: "no toFixed and no parseFloat",
  mend: "format with formatMoney or toRand and read decimals with kernel/money.ts: binary floats lose cents",
  applies: inProduct,
  find: (source) =>
    visit(source, (hit) => ({
      CallExpression: (node) => {
        const name = calleeName(node.callee);
        if (name?.endsWith(".toFixed")) hit(node.start, ".toFixed()");
        if (name === "Number.parseFloat") hit(node.start, "Number.parseFloat()");
        if (node.callee.type === "Identifier" && node.callee.name === "parseFloat") hit(node.start, "parseFloat()");
      },
    })),
  bad: ["src/http/a.ts", "export const text = (n: number) => n.toFixed(2);"],
  good: ["src/http/a.ts", 'const words = ".toFixed( and parseFloat";'],
};

const ownRounding: CodeRule = {
  name: "money is rounded and converted in src/kernel/money.ts only",
  mend: "use fromRand, toRand and the rounding of src/kernel/money.ts instead of Math.round or a factor of 100",
  applies: inBusiness,
  find: (source) =>
    visit(source, (hit) => ({
      CallExpression: (node) => {
        if (calleeName(node.callee) === "Math.round") hit(node.start, "Math.round()");
      },
      BinaryExpression: (node) => {
        if (node.operator !== "*" && node.operator !== "/") return;
        const isHundred = (side: { type: string; value?: unknown }) => side.type === "Literal" && side.value === 100;
        if (isHundred(node.left) || isHundred(node.right)) hit(node.start, `${node.operator} 100`);
      },
    })),
  bad: ["src/modules/invoices/rules.ts", "export const cents = (rand: number) => rand * 100;"],
  good: ["src/modules/invoices/rules.ts", "export const next = (page: number) => page + 100;"],
};

const FUNCTION_LINES_MAX = 69;

const functionLength: CodeRule = {
  name: "functions stay under 70 lines",
  mend: "split it where its reader would pause",
  applies: (path) => !path.endsWith(".test.ts"),
  find: (source) =>
    visit(source, (hit) => {
      const measure = (node: AnyFunction | ArrowFunctionExpression) => {
        const lines = lineAt(source.text, node.end) - lineAt(source.text, node.start) + 1;
        if (lines > FUNCTION_LINES_MAX) hit(node.start, `${lines} lines`);
      };
      return { FunctionDeclaration: measure, FunctionExpression: measure, ArrowFunctionExpression: measure };
    }),
  bad: ["src/flows/a.ts", `const f = () => {${"\n".repeat(69)}};`],
  good: ["src/flows/a.ts", `const f = () => {${"\n".repeat(68)}};`],
};

const FILE_LINES_MAX = 499;

const fileLength: CodeRule = {
  name: "files stay under 500 lines",
  mend: "move one rule, one use case or one subject of tests into its own file",
  applies: () => true,
  find: ({ text }) => {
    const lines = lineAt(text, text.trimEnd().length);
    return lines > FILE_LINES_MAX && !isGenerated(text) ? [{ at: 0, what: `${lines} lines` }] : [];
  },
  bad: ["src/flows/a.ts", "f();\n".repeat(500)],
  good: ["src/flows/a.ts", "f();\n".repeat(499)],
};

const TEST_NAMES = new Set(["test", "it", "describe", "suite", "t"]);
const AVOIDANCE = new Set(["skip", "todo", "only"]);

const skippedTests: CodeRule = {
  name: "no test is skipped, put off or run alone",
  mend: "make it pass or delete it; a missing dependency must fail loudly",
  applies: isTestFile,
  find: (source) =>
    visit(source, (hit) => ({
      CallExpression: (node) => {
        const [object = "", property = ""] = calleeName(node.callee)?.split(".") ?? [];
        if (TEST_NAMES.has(object) && AVOIDANCE.has(property)) hit(node.start, `${object}.${property}()`);
        if (node.callee.type !== "Identifier" || !TEST_NAMES.has(node.callee.name)) return;
        for (const argument of node.arguments) {
          if (argument.type !== "ObjectExpression") continue;
          for (const entry of argument.properties)
            if (entry.type === "Property" && entry.key.type === "Identifier" && AVOIDANCE.has(entry.key.name))
              hit(entry.start, entry.key.name);
        }
      },
    })),
  bad: ["src/kernel/a.test.ts", 'test("x", { skip: true }, () => {});'],
  good: ["src/kernel/a.test.ts", 'test("x", { timeout: 5000 }, () => { list.only("skip"); });'],
};

/** The exported functions of a statement, by declaration or as a constant, with the offset before which a docstring ends. */
function exportedFunctions(statement: Statement): { name: string; start: number }[] {
  if (statement.type !== "ExportNamedDeclaration" || !statement.declaration) return [];
  const { declaration, start } = statement;
  if (declaration.type === "FunctionDeclaration" || declaration.type === "TSDeclareFunction")
    return [{ name: declaration.id?.name ?? "default", start }];
  if (declaration.type !== "VariableDeclaration") return [];
  return declaration.declarations
    .filter(({ init }) => init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression")
    .map(({ id }) => ({ name: id.type === "Identifier" ? id.name : "", start }));
}

const docstrings: CodeRule = {
  name: "every exported function has a docstring",
  mend: "say what the signature cannot: unit, zone, errors, the section of the interface",
  applies: (path) => inProduct(path) || /^(scripts|test\/support|dashboard\/src)\//.test(path),
  find: (source) => {
    const isDocumented = (start: number) =>
      source.comments.some(
        (comment) =>
          comment.type === "Block" &&
          comment.value.startsWith("*") &&
          comment.end <= start &&
          source.text.slice(comment.end, start).trim() === "",
      );
    const seen = new Set<string>();
    return source.program.body.flatMap((statement) =>
      exportedFunctions(statement as Statement)
        .filter(({ name }) => !seen.has(name) && seen.add(name)) // overloads share the first one's docstring
        .filter(({ start }) => !isDocumented(start))
        .map(({ name, start }) => ({ at: start, what: name })),
    );
  },
  bad: ["src/flows/a.ts", "// not one\nexport const f = () => 1;"],
  good: ["src/flows/a.ts", "/** One. */\nexport function f(): void {}\nfunction g() {}\nexport const LIMIT = 3;"],
};

const lyingCasts: CodeRule = {
  name: "no cast by way of unknown",
  mend: "narrow the value with a check, or build it through the real command",
  applies: () => true,
  find: (source) =>
    visit(source, (hit) => ({
      TSAsExpression: (node) => {
        const inner = node.expression.type === "TSAsExpression" ? node.expression.typeAnnotation.type : "";
        if (/^TS(Unknown|Any|Never)Keyword$/.test(inner)) hit(node.start);
      },
    })),
  bad: ["test/a.ts", "const a = {} as unknown as Map<string, string>;"],
  good: ["test/a.ts", "const a = JSON.parse(text) as Map<string, string>;"],
};

/** The project's rules about code. Each must find its bad sample before it runs on the repository. */
export const CODE_RULES: readonly CodeRule[] = [
  machineTime,
  dateArithmetic,
  kernelPurity,
  platformNames,
  catalogueDeclares,
  floatMoney,
  ownRounding,
  functionLength,
  fileLength,
  skippedTests,
  docstrings,
  lyingCasts,
];
