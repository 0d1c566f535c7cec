import { createRenderer } from "../../src/app/renderer/renderer.ts";

/** The renderer of a test file; its thread does not keep the process running. */
export const renderer = createRenderer();
