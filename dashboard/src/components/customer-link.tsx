import { api, got } from "../api/client.ts";
import { useRecord } from "../api/records.ts";
import { useMay } from "../api/session.ts";
import { customerName } from "../lib/customer-name.ts";
import { IdLink } from "./values.tsx";

/** A customer by name, with the way to their page; by `known`, such as their address, or the id until the name is read. Each customer is read once, however often they are named. */
export function CustomerLink({ id, known }: { readonly id: string; readonly known?: string | null | undefined }) {
  const may = useMay();
  const customer = useRecord(
    ["/customers", id],
    () => got(api.GET("/customers/{id}", { params: { path: { id } } })),
    may("customers:read"),
  );
  return <IdLink id={id}>{customer.data ? customerName(customer.data) : (known ?? undefined)}</IdLink>;
}
