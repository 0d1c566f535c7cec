import { Group, Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { formatMoney } from "../lib/money.ts";
import { TextLink } from "./link.tsx";
import type { Series } from "./plot.tsx";
import { pageOf } from "./tile.tsx";

/** A card of home or of a report. `wide` takes two of the three columns, or the whole row; `aside` stands beside the title. */
export const Card = ({
  title,
  aside,
  wide = false,
  children,
}: {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly wide?: boolean | "whole";
  readonly children: ReactNode;
}) => (
  <Stack component="section" className="tefo-card" data-wide={wide} gap="xs" aria-label={title}>
    <Group justify="space-between" gap="xs">
      <Title order={2} className="tefo-card-title">
        {title}
      </Title>
      {aside}
    </Group>
    {children}
  </Stack>
);

/** A figure that is large, with quiet cents. */
export function LargeMoney({ amount, currency }: { readonly amount: number; readonly currency: string }) {
  const text = formatMoney(amount, currency);
  const point = text.lastIndexOf(".");
  return (
    <span className="tefo-large">
      {point < 0 ? text : text.slice(0, point)}
      {point >= 0 && <span className="tefo-cents">{text.slice(point)}</span>}
    </span>
  );
}

/** A line below a chart: its colour, what it is, how many, and the sum, which leads to its records. */
export const Legend = ({
  of,
  currency,
}: {
  readonly of: readonly {
    readonly label: string;
    readonly series: Series;
    readonly figure: { readonly amount: number; readonly count: number; readonly list: string };
  }[];
  readonly currency: string;
}) => (
  <ul className="tefo-legend">
    {of
      .filter(({ figure }) => figure.count > 0)
      .map(({ label, series, figure }) => (
        <li key={label}>
          <TextLink {...pageOf(figure.list)} underline="never" className="tefo-plain">
            <span className="tefo-dot" data-series={series} />
            <span>
              {label} <span className="tefo-faint">{figure.count}</span>
            </span>
            <b className="tefo-figures">{formatMoney(figure.amount, currency)}</b>
          </TextLink>
        </li>
      ))}
  </ul>
);

/** Amounts beside one another: what each is, how many, its share of the largest as a bar, and the link to its records. */
export const Shares = ({
  of,
  format,
}: {
  readonly of: readonly {
    readonly label: string;
    readonly value: number;
    readonly count: number;
    readonly series: Series;
    readonly link?: { readonly to: string; readonly search: Readonly<Record<string, string>> };
  }[];
  format(value: number): string;
}) => {
  const most = Math.max(...of.map(({ value }) => value), 0);
  return (
    <ul className="tefo-shares">
      {of.map(({ label, value, count, series, link }) => (
        <li key={label}>
          <div className="tefo-share">
            <span className="tefo-grow">{link ? <TextLink {...link}>{label}</TextLink> : label}</span>
            <span className="tefo-quiet tefo-figures">{count}</span>
            <b className="tefo-figures">{format(value)}</b>
          </div>
          <div className="tefo-track">
            {value > 0 && <span data-series={series} style={{ width: `${(value / most) * 100}%` }} />}
          </div>
        </li>
      ))}
    </ul>
  );
};
