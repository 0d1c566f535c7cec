import { FileInput } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { MoneyAction } from "../../components/money-action.tsx";
import { formatMoney } from "../../lib/money.ts";
import { counted, words } from "../../lib/words.ts";

type Dispute = Shape<"Dispute">;

const TYPES = "application/pdf,image/png,image/jpeg";
const TOUCHES = ["/disputes", "/transactions", "/invoices", "/customers", "/audit-log"];

/** The actions on an open dispute. */
export function Actions({ dispute }: { readonly dispute: Dispute }) {
  if (dispute.status !== "open") return null;
  return (
    <>
      <Accept dispute={dispute} />
      <Upload dispute={dispute} />
      {dispute.answeredBy === "api" && dispute.evidence.length > 0 && <Submit dispute={dispute} />}
    </>
  );
}

const Upload = ({ dispute }: { readonly dispute: Dispute }) => (
  <MoneyAction
    label="Add evidence"
    title="Add evidence"
    permission="transactions:write"
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
    what={() =>
      dispute.answeredBy === "api"
        ? "The file is kept with the dispute, and sent when you submit the evidence."
        : `The file is kept with the dispute. ${words(dispute.gateway)} takes it in its own dashboard only.`
    }
    send={({ file }) =>
      got(
        api.POST("/disputes/{id}/evidence", {
          params: { path: { id: dispute.id } },
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
    touches={TOUCHES}
    said={() => "Evidence added"}
    button={{ variant: "default" }}
  />
);

const Submit = ({ dispute }: { readonly dispute: Dispute }) => (
  <MoneyAction
    label="Submit evidence"
    title="Submit evidence"
    permission="transactions:write"
    initial={{}}
    what={() =>
      `${counted(dispute.evidence.length, "file")} ${dispute.evidence.length === 1 ? "is" : "are"} sent to ${words(dispute.gateway)}. The bank then decides about ${formatMoney(dispute.amount, dispute.currency)}.`
    }
    send={() => got(api.POST("/disputes/{id}/submit", { params: { path: { id: dispute.id } } }))}
    touches={TOUCHES}
    said={() => "Evidence submitted"}
  />
);

const Accept = ({ dispute }: { readonly dispute: Dispute }) => (
  <MoneyAction
    label="Accept dispute"
    title="Accept dispute"
    permission="transactions:write"
    initial={{}}
    danger
    what={() =>
      `You do not answer the dispute, and ${formatMoney(dispute.amount, dispute.currency)} stays with the customer. This cannot be undone.`
    }
    send={(_values, keyFor) => {
      const params = { path: { id: dispute.id }, header: { "Idempotency-Key": keyFor({}) } };
      return got(api.POST("/disputes/{id}/accept", { params }));
    }}
    touches={TOUCHES}
    said={() => "Dispute accepted"}
  />
);
