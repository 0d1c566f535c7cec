import { useNavigate } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { editing } from "../../components/form.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Permitted } from "../../components/notice.tsx";
import { pathTo } from "../../lib/paths.ts";
import { TestResult } from "./test-result.tsx";

type Account = Shape<"GatewayAccount">;
const TOUCHES = ["/gateways", "/timeline"];

/** The actions on a gateway account. */
export const Actions = ({ account }: { readonly account: Account }) => (
  <>
    <Test account={account} />
    <Enable account={account} />
    <Permitted to="gateways:write">
      <ButtonLink to={`${pathTo("gateways", account.id)}/edit`} variant="default">
        Edit
      </ButtonLink>
    </Permitted>
    <Delete account={account} />
  </>
);

const Test = ({ account: { id, name } }: { readonly account: Account }) => (
  <MoneyAction
    label="Test the connection"
    title={`Test ${name}`}
    permission="gateways:write"
    initial={{}}
    what={() => "The gateway is asked whether it takes the saved credentials. No money moves."}
    send={() => got(api.POST("/gateways/{id}/test", { params: { path: { id } }, body: {} }))}
    touches={TOUCHES}
    said={({ message }) => message}
    outcome={(test) => <TestResult test={test} />}
    button={{ variant: "default" }}
  />
);

const Enable = ({ account, account: { id, name, enabled } }: { readonly account: Account }) => (
  <MoneyAction
    label={enabled ? "Disable" : "Enable"}
    title={`${enabled ? "Disable" : "Enable"} ${name}`}
    permission="gateways:write"
    initial={{}}
    what={() =>
      enabled
        ? "Customers are no longer offered it. Payments that have begun there are still followed, and what it reports is still taken."
        : "Customers are offered it for new payments in its currencies."
    }
    edits={editing(account, () => ({}))}
    send={(_values, _keyFor, edit) =>
      got(api.PATCH("/gateways/{id}", { params: { path: { id } }, body: edit({ enabled: !enabled }) }))
    }
    touches={TOUCHES}
    said={(changed) => `${changed.name} is ${changed.enabled ? "enabled" : "disabled"}.`}
    button={{ variant: "default" }}
  />
);

function Delete({ account: { id, name } }: { readonly account: Account }) {
  const navigate = useNavigate();
  return (
    <MoneyAction
      label="Delete"
      title={`Delete ${name}`}
      permission="gateways:write"
      initial={{}}
      danger
      what={() =>
        "The account and its credentials are removed. One that has payments or mandates cannot be deleted: disable it. This cannot be undone."
      }
      send={() => got(api.DELETE("/gateways/{id}", { params: { path: { id } } }))}
      touches={["/gateways", "/payout-hold"]}
      said={() => {
        void navigate({ to: "/gateways", replace: true });
        return `${name} deleted`;
      }}
    />
  );
}
