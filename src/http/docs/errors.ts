import { ERROR_STATUSES, type ErrorCode, NAMED_RECORDS, noSuch } from "../../kernel/errors.ts";
import { ERROR_WORDS } from "./error-words.ts";
import type { Page } from "./page.ts";

const GUIDE = "[Errors](/docs/guides/errors) describes what all errors have in common.";
const REQUEST_ID = "req_01kajw8z2r0000000000000000";

/** The pages of errors: an index, and one for each `error` and each `code` (interface 7.1, `docUrl`). */
export function errorPages(baseUrl: string): Page[] {
  const codes = Object.keys(ERROR_STATUSES) as ErrorCode[];
  const missing = NAMED_RECORDS.map((what) => ({ what, refusal: noSuch([fieldOf(what)], what, "…") }));
  return [
    {
      path: "/docs/errors",
      section: "API",
      markdown: () =>
        index(
          codes,
          missing.map(({ refusal }) => refusal.condition ?? ""),
        ),
    },
    ...codes.map((code) => pageOf(code, () => codePage(code, baseUrl))),
    ...missing.map(({ what, refusal: { condition = "", message, issues } }) =>
      pageOf(condition, () => missingPage({ what, condition, message, issues, baseUrl })),
    ),
  ];
}

const pageOf = (name: string, markdown: () => string): Page => ({
  path: `/docs/errors/${name}`,
  section: "API",
  markdown,
  below: true,
});

const fieldOf = (what: string): string =>
  `${what.replaceAll(/ (\w)/g, (_space, letter: string) => letter.toUpperCase())}Id`;

const named = (what: string): string => `${/^[aeiou]/.test(what) ? "an" : "a"} ${what}`;
const statusesOf = (code: ErrorCode): string => ERROR_STATUSES[code].join(", ");

const index = (codes: readonly ErrorCode[], missing: readonly string[]): string => `# Errors of the API

Match on \`error\` and on the status. \`message\` is for people and may change. \`requestId\` finds the request in the request log.
Each error's \`docUrl\` leads to its page.

${codes
  .map(
    (code) => `## \`${code}\`

Status ${statusesOf(code)}. ${ERROR_WORDS[code].cause} [What to change, with an example](/docs/errors/${code}).
`,
  )
  .join("\n")}
## Codes of what was not found

A \`code\` beside \`error\` names the kind of record that a field of the body names, and that the organisation does not have:

${missing.map((code) => `- [\`${code}\`](/docs/errors/${code})`).join("\n")}
`;

function codePage(code: ErrorCode, baseUrl: string): string {
  const { cause, change, message } = ERROR_WORDS[code];
  const issues =
    code === "invalid_request"
      ? [
          {
            origin: "number",
            code: "too_small",
            minimum: 0,
            inclusive: false,
            message: "must be greater than 0",
            path: ["amount"],
          },
        ]
      : undefined;
  return `# ${code}

${cause}

Status ${statusesOf(code)}.

## What to change

${change}

## Example

${answerOf({ error: code, message, docUrl: `${baseUrl}/docs/errors/${code}`, requestId: REQUEST_ID, issues })}

${GUIDE}
`;
}

function missingPage({
  what,
  condition,
  message,
  issues,
  baseUrl,
}: {
  readonly what: string;
  readonly condition: string;
  readonly message: string;
  readonly issues: unknown;
  readonly baseUrl: string;
}): string {
  return `# ${condition}

A field of the body names ${named(what)} that the organisation does not have.

Status 400, with \`error\` [\`invalid_request\`](/docs/errors/invalid_request).

## What to change

Check the id in the field that \`issues\` names, and whose key you use: ${named(what)} of another organisation, or of a sandbox
with a live key, does not exist for it. Create the ${what} first where nothing has made it. The corrected request needs a new
Idempotency-Key.

## Example

${answerOf({
  error: "invalid_request",
  message,
  code: condition,
  docUrl: `${baseUrl}/docs/errors/${condition}`,
  requestId: REQUEST_ID,
  issues,
})}

${GUIDE}
`;
}

const answerOf = (answer: object): string => `\`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\``;
