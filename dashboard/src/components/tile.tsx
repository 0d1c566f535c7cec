import { API } from "../api/client.ts";
import { counted } from "../lib/words.ts";
import { TextLink } from "./link.tsx";
import { Money } from "./values.tsx";

/** The page that lists the records of a figure: it has the same path as the API's list. */
export function pageOf(list: string): { to: string; search: Record<string, string> } {
  const url = new URL(list, location.origin);
  return { to: url.pathname.slice(API.length), search: Object.fromEntries(url.searchParams) };
}

/** A figure of the API: `list` lists the records in it. */
export interface Figure {
  readonly amount?: number;
  readonly count: number;
  readonly list: string;
}

/** One figure, with a link to the list of its records. */
export function Tile({
  label,
  of: { amount, count, list },
  kind,
  currency,
  note,
}: {
  readonly label: string;
  readonly of: Figure;
  /** The word for one of the records. */
  readonly kind: string;
  readonly currency?: string;
  /** A comparison, instead of the count. */
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
