import { createFileReader } from "../../src/app/reader/reader.ts";
import { createRenderer } from "../../src/app/renderer/renderer.ts";

/** The renderer of a test file; its thread does not keep the process running. */
export const renderer = createRenderer();

/** The reader of uploaded files of a test file, as `renderer`. */
export const fileReader = createFileReader();
