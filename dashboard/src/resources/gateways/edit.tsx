import { Skeleton } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { type KeyFor, useRecord } from "../../api/records.ts";
import { type AddOpened, editing, ResourceForm } from "../../components/form.tsx";
import { Frame } from "../../components/frame.tsx";
import { Failure } from "../../components/notice.tsx";
import { pathTo } from "../../lib/paths.ts";
import { AccountFields, newValues, typedCredentials, type Values } from "./account-form.tsx";

/** The form of a gateway account that is changed. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const account = useRecord(["/gateways", id], () => got(api.GET("/gateways/{id}", { params: { path: { id } } })));
  const types = useRecord(["/gateway-types"], () => got(api.GET("/gateway-types")));
  const type = types.data?.data.find((one) => one.type === account.data?.type);
  const error = account.error ?? types.error;
  return (
    <Frame title="Edit gateway" back={{ label: "Gateway", to: pathTo("gateways", id) }}>
      {!error && !(account.data && types.data) && <Skeleton height={240} aria-busy="true" aria-label="Loading" />}
      {error && <Failure error={error} />}
      {account.data && type && <Edit account={account.data} type={type} />}
    </Frame>
  );
}

function Edit({ account, type }: { readonly account: Shape<"GatewayAccount">; readonly type: Shape<"GatewayType"> }) {
  const { id } = account;
  const path = { params: { path: { id } } };
  const valuesOf = ({ name, mode, enabled, currencies }: Shape<"GatewayAccount">): Values => ({
    ...newValues(type, false),
    name,
    mode,
    enabled,
    currencies,
  });
  const send = (values: Values, _keyFor: KeyFor, edit: AddOpened) => {
    const credentials = typedCredentials(values);
    const { credentials: _typed, ...rest } = values;
    const body = { ...rest, name: values.name.trim(), ...(Object.keys(credentials).length > 0 ? { credentials } : {}) };
    return got(api.PATCH("/gateways/{id}", { ...path, body: edit(body) }));
  };
  return (
    <ResourceForm
      initial={valuesOf(account)}
      edits={editing(account, valuesOf)}
      fields={(form) => (
        <AccountFields
          form={form}
          type={type}
          saved
          set={account.credentialsSet}
          test={(values) =>
            got(api.POST("/gateways/{id}/test", { ...path, body: { credentials: typedCredentials(values) } }))
          }
        />
      )}
      label="Save"
      send={send}
      touches={["/gateways", "/payout-hold"]}
      said="Gateway updated"
      to={() => pathTo("gateways", id)}
      back={pathTo("gateways", id)}
    />
  );
}
