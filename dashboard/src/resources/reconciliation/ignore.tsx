import type { ButtonProps } from "@mantine/core";
import { api, got } from "../../api/client.ts";
import { MoneyAction } from "../../components/money-action.tsx";

/** Ignores an unmatched line, with a reason. */
export const IgnoreLine = ({
  line,
  button = {},
}: {
  readonly line: { readonly id: string };
  readonly button?: ButtonProps;
}) => (
  <MoneyAction
    label="Ignore"
    title="Ignore this line"
    permission="reconciliation:write"
    initial={{ reason: "" }}
    reason="required"
    danger
    what={() =>
      "The line is none of yours, such as a private payment: it is not left to match, and nothing moves in the books. A fee of the bank or a transfer between your accounts belongs in the books: match it as that."
    }
    send={({ reason }, keyFor) => {
      const body = { reason: reason.trim() };
      const params = { path: { id: line.id }, header: { "Idempotency-Key": keyFor(body) } };
      return got(api.POST("/reconciliation/items/{id}/ignore", { params, body }));
    }}
    touches={["/reconciliation"]}
    said={() => "Line ignored"}
    button={{ variant: "default", ...button }}
  />
);
