import { FileInput } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { MoneyAction } from "../../components/money-action.tsx";

const TYPES = "application/pdf,image/png,image/jpeg";

/** Adds a proof that the payer sent in another way. */
export const ProofUpload = ({
  order,
  touches,
}: {
  readonly order: Shape<"EftOrder">;
  readonly touches: readonly string[];
}) => (
  <MoneyAction
    label="Upload proof of payment"
    title={`Add a proof of payment to ${order.reference}`}
    permission="eft_orders:write"
    initial={{ file: null as File | null }}
    check={{ file: (file: File | null) => (file ? null : "Choose a file.") }}
    fields={(form) => (
      <FileInput
        label="File"
        description="A PDF, PNG or JPEG of at most 10 MB."
        placeholder="Choose a file"
        accept={TYPES}
        clearable
        clearButtonProps={{ "aria-label": "Remove the file" }}
        {...form.getInputProps("file")}
      />
    )}
    what={() => `The file is kept with ${order.reference}, which then waits for your review.`}
    send={({ file }) =>
      got(
        api.POST("/eft-orders/{id}/proof", {
          params: { path: { id: order.id } },
          // The schema has a text for the content; the form below is sent instead.
          body: { file: file?.name ?? "" },
          bodySerializer: () => {
            const form = new FormData();
            if (file) form.append("file", file);
            return form;
          },
        }),
      )
    }
    touches={touches}
    said={() => "Proof uploaded"}
    button={{ variant: "default" }}
  />
);
