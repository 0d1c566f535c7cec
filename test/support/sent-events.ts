import assert from "node:assert/strict";
import pg from "pg";

interface Sent {
  readonly type: string;
  readonly subject: string;
  readonly data: unknown;
}

/** Types of events of a test's own making: declared by the test, or written by insertMinimalRow. */
const OWN = ["thing.%", "x"];

/**
 * Compares every event that a test has sent with the schema of its declaration, which openapi.json publishes to receivers; unknown fields
 * are faults too. Throws an AssertionError that names the event.
 */
export async function checkEvents(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "tefo test" });
  await client.connect();
  const sent = await client
    .query<Sent>("select distinct on (type, data::text) type, subject, data from events where not type like any ($1)", [
      OWN,
    ])
    .finally(() => client.end());
  if (sent.rows.length === 0) return;
  const { EVENTS } = await import("../../src/catalogue.ts");
  const declared = new Map(EVENTS.map((event) => [event.name, event]));
  for (const { type, subject, data } of sent.rows) {
    const event = declared.get(type);
    assert(event, `${type} about ${subject} is no event of src/catalogue.ts`);
    assert.deepEqual(event.data.parse(data), data, `the data of ${type} about ${subject} is as ${type} is declared`);
  }
}
