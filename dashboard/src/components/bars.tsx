import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import type { ChartData } from "./chart-data.ts";

/** The drawing of a `Chart`; a file of its own, because the library is large. */
export const Bars = ({ axis, series, points, format }: ChartData) => (
  <BarChart
    h={220}
    dataKey={axis}
    data={points.map(({ at, values }) => ({
      [axis]: at,
      ...Object.fromEntries(series.map(({ name }, index) => [name, values[index] ?? 0])),
    }))}
    series={series.map((one) => ({ ...one }))}
    valueFormatter={format}
    withLegend={series.length > 1}
    // As wide as its longest figure, which would be cut otherwise.
    yAxisProps={{ width: "auto" }}
    tickLine="none"
    gridAxis="x"
    barChartProps={{ accessibilityLayer: false }}
    maxBarWidth={48}
  />
);
