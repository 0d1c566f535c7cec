import { NativeSelect } from "@mantine/core";
import { api, got } from "../api/client.ts";
import { useRecord } from "../api/records.ts";
import { useListAddress } from "./list-address.ts";

/** The choice of a report's currency, which its address holds; nothing where all figures are in one. */
export function ReportCurrency() {
  const { filter, filters } = useListAddress();
  const { data } = useRecord(["/overview", "currencies"], () => got(api.GET("/overview/currencies")));
  const [usual = "", ...others] = data?.currencies ?? [];
  const shown = filters["currency"] ?? usual;
  const all = [...new Set([usual, ...others, shown])];
  if (all.length < 2) return null;
  return (
    <NativeSelect
      label="Currency"
      data={all}
      value={shown}
      onChange={({ currentTarget }) => filter({ currency: currentTarget.value === usual ? "" : currentTarget.value })}
    />
  );
}
