/** Introduction of the client API's description (interface 2.1, 4.1, 5 to 9). */
export const CLIENT_TEXT = `
Take payments and manage customers from your own system. JSON over HTTPS; every path below is under \`/api/v1\`.

## Authentication
Send \`Authorization: Bearer <API key>\`. Keys are made in the dashboard under Developers, API keys, and belong to one
organisation. The plan must include the REST API; a key may need a permission of its own for some calls.

## Amounts, dates, text
Amounts are JSON numbers in major units with at most 2 decimals (\`149.95\`); more are rounded, half a cent away from
zero. Timestamps are ISO 8601 in UTC with milliseconds. Lengths count Unicode characters. Fields and values may be
added to replies at any time: ignore what you do not know.

## Safe retries
Send an \`Idempotency-Key\` with a POST that takes one. For 24 hours the same key with the same body gets the stored answer, marked
\`Idempotent-Replayed: true\`; with another body it is refused. Answers of 5xx and 429 are never stored: try them again with the same key.

## Errors
\`{"error": <code>, "message": <text>, "issues": [...]}\`. Match on \`error\` and the status; the message is for people.

## Rate limits
120 requests a minute for each key. \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` come
with every answer of a known key; 429 carries \`Retry-After\`.

## Hosted pages
Payers see these pages of ours; whoever has the link may use it.

| page | what it is |
| --- | --- |
| \`/pay/<token>\` | pays a payment link: its \`url\` |
| \`/eft/<token>\` | bank details and proof upload of an EFT order: its \`payUrl\` |
| \`/portal/<organisation>/…\` | a customer's own account, opened by a portal link |

## Webhooks
Endpoints are set up in the dashboard. Each delivery is a POST signed in
\`Service-Signature: t=<unix seconds>,v1=<hex>\`: HMAC-SHA256 with the endpoint's secret over \`<t>.<raw body>\`.
Refuse what is older than 300 seconds. The Standard Webhooks headers are sent beside it, made with the same secret.
Deliveries that fail are tried again for about 2 days. Answer 2xx within 10 seconds, and expect an event more than
once: its \`id\` stays the same.
`.trim();

/** Introduction of the dashboard API's description (interface 14). */
export const DASHBOARD_TEXT = `
What the dashboard's own pages use, for staff who automate their work. JSON; every path below is under \`/dashboard/api\`.

Sign in with \`POST /auth/sign-in/email\`; a session cookie follows. Calls that change something are refused from
other origins. A member of several organisations names one in the header \`Tefo-Organisation: <slug>\`. What a role
may do is a set of named permissions; each operation says which it needs. Lists are \`{data, hasMore, nextCursor}\`.
Every change is in the audit log.

Each resource of the client API is here too, with the same bodies and objects: \`/api/v1/x\` is \`/dashboard/api/x\`.
`.trim();
