import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useFormDefaults } from "../../api/settings.ts";
import { CustomerInput } from "../../components/customer-input.tsx";
import { Fieldset } from "../../components/form.tsx";
import { METHODS, type Method } from "../../lib/payment-methods.ts";
import { type IncludedVat, includedVatOf } from "../../lib/vat.ts";
import { words } from "../../lib/words.ts";
import { type Line, type Part, partOf } from "./parts.ts";

/** A sale that has no invoice yet, for what is left of the line: matching the line makes the invoice, paid. */
export function Sale({ line, left, add }: { readonly line: Line; readonly left: number; add(part: Part): void }) {
  const [customerId, setCustomer] = useState("");
  const [description, setDescription] = useState(line.description);
  const [vat, setVat] = useState<IncludedVat>("");
  const [method, setMethod] = useState<Method>("eft");
  const fields = useRef<HTMLDivElement>(null);
  // They open below what else the line may be, where they could be out of sight.
  useEffect(() => fields.current?.querySelector("input")?.focus(), []);
  const rate = useFormDefaults().data?.vatRate ?? 0;
  return (
    <div ref={fields}>
      <Fieldset
        legend="Sale without an invoice"
        about="An invoice is made for it, dated as the line and paid; it is not mailed. Sales over the counter can share one customer, such as “Cash sales”."
      >
        <CustomerInput label="Customer" withAsterisk value={customerId} onChange={setCustomer} />
        <TextInput
          label="Description"
          withAsterisk
          maxLength={1000}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        {rate > 0 && (
          <NativeSelect
            label="VAT included"
            data={[
              { value: "", label: `Standard ${rate} %` },
              { value: "0", label: "Zero-rated" },
              { value: "exempt", label: "Exempt" },
            ]}
            value={vat}
            onChange={(event) => setVat(event.currentTarget.value as IncludedVat)}
          />
        )}
        <NativeSelect
          label="Paid by"
          data={METHODS.map((value) => ({ value, label: words(value) }))}
          value={method}
          onChange={(event) => setMethod(event.currentTarget.value as Method)}
        />
        <Button
          variant="default"
          disabled={customerId === "" || description.trim() === ""}
          onClick={() => {
            const body = {
              kind: "sale",
              customerId,
              description: description.trim(),
              method,
              ...includedVatOf(vat),
            } as const;
            add(partOf(`Sale: ${description.trim()}`, body, left));
          }}
        >
          Add the sale
        </Button>
      </Fieldset>
    </div>
  );
}
