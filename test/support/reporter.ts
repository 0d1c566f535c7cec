import { Readable } from "node:stream";
import { spec as SpecReporter, type TestEvent } from "node:test/reporters";

const CLOSING = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;

/** Node's `spec` report, with the closing count moved to the very end, below the failures. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const closing: string[] = [];
  async function* withoutClosing() {
    for await (const event of events) {
      if (event.type === "test:diagnostic" && event.data.nesting === 0 && CLOSING.test(event.data.message))
        closing.push(`# ${event.data.message}\n`);
      else yield event;
    }
  }
  yield* Readable.from(withoutClosing()).compose(new SpecReporter());
  yield* closing;
}
