import { api, got, type Shape } from "../../api/client.ts";
import { MoneyAction } from "../../components/money-action.tsx";

type Rule = Shape<"ReconciliationRule">;

const KINDS = {
  payout: "payout of a gateway",
  bank_fee: "fee of the bank",
  own_transfer: "transfer between own accounts",
} as const;

/** The match that a rule makes: `money out: fee of the bank`. */
export const saidOf = ({ direction, kind }: Rule): string =>
  `${direction === "in" ? "Money in" : "Money out"}: ${KINDS[kind]}`;

/** Accepts or declines a rule. A decided rule can be decided again. */
export const DecideRule = ({ rule }: { readonly rule: Rule }) => (
  <>
    {rule.status !== "accepted" && (
      <MoneyAction
        label="Accept"
        title="Accept rule"
        permission="reconciliation:write"
        initial={{}}
        what={() =>
          `When a later statement of ${rule.account} has a line with the words “${rule.fragment}”, it is matched by itself. ${saidOf(rule)}. Lines that are imported already stay as they are.`
        }
        send={() => got(api.POST("/reconciliation/rules/{id}/accept", { params: { path: { id: rule.id } } }))}
        touches={["/reconciliation"]}
        said={() => "Rule accepted"}
        button={{ size: "xs" }}
      />
    )}
    {rule.status !== "declined" && (
      <MoneyAction
        label={rule.status === "accepted" ? "Stop" : "Decline"}
        title={rule.status === "accepted" ? "Stop rule" : "Decline rule"}
        permission="reconciliation:write"
        initial={{}}
        what={() => `Lines with the words “${rule.fragment}” are left to a person. What was matched stays matched.`}
        send={() => got(api.POST("/reconciliation/rules/{id}/decline", { params: { path: { id: rule.id } } }))}
        touches={["/reconciliation"]}
        said={() => "Rule not used"}
        button={{ size: "xs", variant: "default" }}
      />
    )}
  </>
);
