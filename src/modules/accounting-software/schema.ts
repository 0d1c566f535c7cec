import { z } from "zod";
import { text } from "../../platform/schema.ts";
import { type Codes, FILED_ACCOUNTS, SOFTWARE, type Software, TAX_KINDS } from "./types.ts";

const of = <Name extends string, Value extends z.ZodType>(names: readonly Name[], value: Value) =>
  z.object(Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>, "must be an object");

/** Interface 18.8, accounting software. */
export const AccountingSoftwareObject = z
  .object({
    object: z.literal("accounting_software"),
    software: z.enum(SOFTWARE),
    accounts: of(FILED_ACCOUNTS, z.string()),
    taxCodes: of(TAX_KINDS, z.string()),
  })
  .meta({ id: "AccountingSoftware" });

/** A code is written into files unchanged, so its first character must not be one that a spreadsheet reads as a formula. */
const code = () =>
  text(1, 150)
    .refine(
      (value) => !/^[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]/.test(value),
      "must not begin with =, +, - or @, nor hold a tab or a line break",
    )
    .nullable();

/** Body of a change of codes: a field that is left out stays, null restores the default. */
export const AccountingSoftwarePatch = z
  .object({ accounts: of(FILED_ACCOUNTS, code()).partial(), taxCodes: of(TAX_KINDS, code()).partial() })
  .partial();

/** Interface 18.8, accounting software. */
export const softwareView = (software: Software, codes: Codes) => ({
  object: "accounting_software" as const,
  software,
  ...codes,
});
