import { createPress } from "../../src/app/press/press.ts";

/** The press of a test file; its thread keeps no process alive. */
export const press = createPress();
