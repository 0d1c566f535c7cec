import { Alert, List } from "@mantine/core";
import type { Shape } from "../../api/client.ts";
import { Words } from "../../components/values.tsx";
import { counted } from "../../lib/words.ts";

type Counts = NonNullable<Shape<"StatementPreview">["rowCounts"]> & { readonly duplicates?: number };

const KINDS = [
  ["lines", "line"],
  ["duplicates", "line that was imported before", "lines that were imported before"],
  ["above", "row above the headings", "rows above the headings"],
  ["joined", "row that continues the text of the line before", "rows that continue the text of the line before"],
  ["balances", "balance"],
  ["totals", "sum"],
  ["zero", "row without money", "rows without money"],
  ["pending", "transaction that is not booked yet", "transactions that are not booked yet"],
  ["headings", "row of headings", "rows of headings"],
  ["remarks", "remark"],
] as const;

/** What became of each row of a file, as a sentence. */
export function FileRows({ of }: { readonly of: Counts | null | undefined }) {
  if (!of || of.total === 0) return null;
  const parts = KINDS.filter(([name]) => (of[name] ?? 0) > 0).map(([name, one, many]) =>
    counted(of[name] ?? 0, one, many),
  );
  const charges = of.charges > 0 ? `; ${counted(of.charges, "charge")} beside an amount made a line, too` : "";
  return <> The file has {`${counted(of.total, "row")}: ${parts.join(", ")}${charges}.`}</>;
}

/** What staff should look at, by the lines of the file. */
export function Warnings({ of }: { readonly of: Shape<"StatementPreview">["warnings"] | undefined }) {
  if (!of || of.length === 0) return null;
  return (
    <Alert color="yellow" role="status" title="Look at this">
      <List size="sm">
        {of.map(({ line, message }) => (
          <List.Item key={`${line} ${message}`}>
            <Words of={message} />
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
