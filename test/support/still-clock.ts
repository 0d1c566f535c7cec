import { after, before, mock, type TestContext } from "node:test";

/*
 * Requests are counted in windows of the machine's clock. A test that counts requests stops the clock of its process, so that no window
 * ends between the first and the last of them. Timers still run.
 */

/** Stops the clock until the test ends. */
export const stopClock = (t: TestContext): void => t.mock.timers.enable({ apis: ["Date"], now: Date.now() });

/** Stops the clock from here to the end of the file or suite, for tests that all count. */
export function stopClockForAll(): void {
  before(() => mock.timers.enable({ apis: ["Date"], now: Date.now() }));
  after(() => mock.timers.reset());
}
