import { api, got, type Shape } from "../../api/client.ts";
import { MoneyAction } from "../../components/money-action.tsx";

/** Revokes a key. */
export const Revoke = ({ of: { id, name, revokedAt } }: { readonly of: Shape<"ApiKey"> }) =>
  revokedAt === null ? (
    <MoneyAction
      label="Revoke"
      title={`Revoke ${name}`}
      permission="api_keys:write"
      danger
      initial={{}}
      what={() => `Every request with the key ${name} is refused from now on. A revoked key cannot come back.`}
      send={() => got(api.DELETE("/api-keys/{id}", { params: { path: { id } } }))}
      touches={["/api-keys", "/audit-log"]}
      said={() => `${name} is revoked.`}
      button={{ size: "xs" }}
    />
  ) : null;
