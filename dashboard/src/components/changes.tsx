import { isId } from "../api/names.ts";
import { formatAmount } from "../lib/money.ts";
import { fieldWords } from "../lib/refusals.ts";
import { valueWords } from "../lib/value-words.ts";
import { IdLink, statusWords } from "./values.tsx";

/** A field that has changed, by its path. */
export interface Change {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The fields that have changed, each with its value, and with the one before unless that was empty. */
export const Changes = ({ of }: { readonly of: readonly Change[] }) => (
  <ul className="tefo-changes tefo-quiet">
    {of.map(({ path, before, after }) => (
      <li key={path}>
        {fieldWords(path)}: <Stated path={path} value={after} />
        {valueWords(before) !== "empty" && (
          <>
            {" "}
            (was <Stated path={path} value={before} />)
          </>
        )}
      </li>
    ))}
  </ul>
);

/** A value of a field. A record, or the id of one, is shown as a link with the record's name. */
function Stated({ path, value }: { readonly path: string; readonly value: unknown }) {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : value;
  if (typeof id === "string" && isId(id)) return <IdLink id={id} />;
  return <span dir="auto">{stated(path, value)}</span>;
}

/** The text of a value: amounts with cents; words of the API, such as a status, as pages show them; any other unchanged. */
function stated(path: string, value: unknown): string {
  if (typeof value === "number" && /amount|price|total|fee$/i.test(path)) return formatAmount(value);
  return typeof value === "string" && /^[a-z]+(_[a-z]+)*$/.test(value) ? statusWords(value) : valueWords(value);
}
