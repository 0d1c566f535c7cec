import { API } from "../api/client.ts";
import { counted } from "../lib/words.ts";
import { TextLink } from "./link.tsx";
import { Money } from "./values.tsx";

/** Where the records of a figure are listed: the API's path of a list is the page's. */
function pageOf(list: string): { to: string; search: Record<string, string> } {
  const url = new URL(list, location.origin);
  return { to: url.pathname.slice(API.length), search: Object.fromEntries(url.searchParams) };
}

/** A figure as the API gives it: `list` lists the records that it counts. */
export interface Figure {
  readonly amount?: number;
  readonly count: number;
  readonly list: string;
}

/** One figure, which leads to the list of what it counts. */
export function Tile({
  label,
  of: { amount, count, list },
  kind,
  currency,
  note,
}: {
  readonly label: string;
  readonly of: Figure;
  /** What one of the records is called. */
  readonly kind: string;
  readonly currency?: string;
  /** A comparison, in place of the count. */
  readonly note?: string | undefined;
}) {
  const money = amount !== undefined && currency !== undefined;
  return (
    <TextLink {...pageOf(list)} className="tefo-tile" underline="never">
      <span className="tefo-quiet">{label}</span>
      <strong>{money ? <Money amount={amount} currency={currency} /> : count}</strong>
      <span className="tefo-quiet">{note ?? counted(count, kind)}</span>
    </TextLink>
  );
}
