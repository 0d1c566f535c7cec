import { join } from "node:path";

/** Folder of what test runs keep for the next run; it may be deleted at any time. */
export const CACHE = join(import.meta.dirname, "../../node_modules/.cache/tefo");
