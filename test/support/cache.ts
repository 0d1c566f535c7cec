import { join } from "node:path";

/** What test runs keep for the next one; nothing is lost when it is deleted. */
export const CACHE = join(import.meta.dirname, "../../node_modules/.cache/tefo");
