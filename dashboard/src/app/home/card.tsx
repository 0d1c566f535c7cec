import { Group, Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { TextLink } from "../../components/link.tsx";
import { pageOf } from "../../components/tile.tsx";
import { formatMoney } from "../../lib/money.ts";

/** A card of home. `wide` takes two of the three columns; `aside` stands beside the title. */
export const Card = ({
  title,
  aside,
  wide = false,
  children,
}: {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly wide?: boolean;
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
    readonly series: 1 | 2 | 3;
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
