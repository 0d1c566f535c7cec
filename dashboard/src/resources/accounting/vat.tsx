import { Anchor, NativeSelect, Skeleton, Stack, Text } from "@mantine/core";
import { Link, useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { useList } from "../../api/lists.ts";
import { useFormDefaults } from "../../api/settings.ts";
import { Frame } from "../../components/frame.tsx";
import { Empty, Failure } from "../../components/notice.tsx";
import { formatMonth } from "../../lib/months.ts";
import { VatReturn } from "./vat-return.tsx";

/** What payments without an invoice count as, where nothing states their VAT. */
function Unstated() {
  const defaults = useFormDefaults().data;
  if (!defaults || defaults.vatRate === 0 || defaults.paymentsIncludeVat) return null;
  return (
    <Text size="sm" c="dimmed">
      Payments without an invoice count as supplies at 0 %, unless their link, mandate or product states their VAT.{" "}
      <Anchor component={Link} to="/settings" underline="always">
        Settings
      </Anchor>{" "}
      can say that they include it.
    </Text>
  );
}

/** The VAT return of a month, or of two with this one as the last; the newest month until another is chosen. */
export function Page() {
  const months = useList("/accounting/months", { limit: "36" });
  const { month: asked } = useLocation().search as { month?: string };
  const category = useFormDefaults();
  const [chosen, setChosen] = useState<string | null>(asked ?? null);
  const known = months.data?.data ?? [];
  const month = chosen ?? known[0]?.month;
  return (
    <Frame title="VAT return">
      {months.isPending && <Skeleton height={320} aria-busy="true" aria-label="Loading" />}
      {months.isError && <Failure error={months.error} again={() => void months.refetch()} />}
      {months.data && month === undefined && (
        <Empty
          title="No VAT yet"
          text="The figures of the VAT201 appear here as soon as an invoice or a payment is in the books."
        />
      )}
      {month !== undefined && (
        <Stack gap="md">
          <NativeSelect
            label="Month"
            maw={240}
            value={month}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
            data={known.map((one) => ({ value: one.month, label: formatMonth(one.month) }))}
          />
          {category.isPending ? null : (
            <VatReturn key={month} month={month} months={(category.data?.vatCategory ?? "C") === "C" ? "1" : "2"} />
          )}
          <Unstated />
        </Stack>
      )}
    </Frame>
  );
}
