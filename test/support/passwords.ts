import type { PasswordCost } from "../../src/platform/passwords.ts";

/** Of everybody in tests. */
export const PASSWORD = "correct horse battery";

/** Low, since tests hash for each person; nothing that an operator sets chooses it. */
export const PASSWORD_COST: PasswordCost = { memory: 64, passes: 1, parallelism: 1 };
