import { Skeleton, Stack, Text, Title } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { ChartData } from "./chart-data.ts";
import { Rows } from "./resource-page.tsx";

const Bars = lazy(async () => ({ default: (await import("./bars.tsx")).Bars }));

/**
 * A chart with a table of the same figures below it, for people who cannot see it or need exact figures. The drawing is
 * loaded separately.
 */
export const Chart = (data: ChartData) => (
  <Stack component="section" gap="xs" aria-label={data.title}>
    <Title order={2} size="h4">
      {data.title}
    </Title>
    <Text size="sm" c="dimmed">
      {data.about}
    </Text>
    {data.points.some(({ values }) => values.some((value) => value !== 0)) ? (
      <Suspense fallback={<Skeleton height={220} />}>
        <div aria-hidden="true">
          <Bars {...data} />
        </div>
      </Suspense>
    ) : (
      <Text size="sm" py="lg">
        {data.none}
      </Text>
    )}
    <details className="tefo-raw">
      <summary>View as table</summary>
      <Rows
        label={data.title}
        items={data.points}
        keyOf={({ at }) => at}
        none="No figures yet."
        columns={[
          { label: data.axis, cell: ({ at }) => at },
          ...data.series.map(({ name }, index) => ({
            label: name,
            figures: true,
            cell: ({ values }: ChartData["points"][number]) => data.format(values[index] ?? 0),
          })),
        ]}
      />
    </details>
  </Stack>
);
