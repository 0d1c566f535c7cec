import { api, got, type Shape } from "../../api/client.ts";
import { editing } from "../../components/form.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { bodyOf, fields, valuesOf } from "./fields.tsx";

type Key = Shape<"ApiKey">;
const TOUCHES = ["/api-keys", "/audit-log"];

/** The actions on a key; none for a revoked one. */
export const Actions = ({ of: key }: { readonly of: Key }) =>
  key.revokedAt === null ? (
    <>
      <Change of={key} />
      <Revoke of={key} />
    </>
  ) : null;

const Change = ({ of: key }: { readonly of: Key }) => (
  <MoneyAction
    label="Edit"
    title={`Change ${key.name}`}
    permission="api_keys:write"
    initial={valuesOf(key)}
    fields={fields}
    what={({ charges }) =>
      charges
        ? "The key stays as it is and may charge saved cards, from the next request on."
        : "The key stays as it is and may not charge saved cards, from the next request on."
    }
    edits={editing(key, valuesOf)}
    send={(values, _keyFor, edit) =>
      got(api.PATCH("/api-keys/{id}", { params: { path: { id: key.id } }, body: edit(bodyOf(values)) }))
    }
    touches={TOUCHES}
    said={({ name }) => `${name} updated`}
    button={{ size: "xs", variant: "default" }}
  />
);

const Revoke = ({ of: { id, name } }: { readonly of: Key }) => (
  <MoneyAction
    label="Revoke"
    title={`Revoke ${name}`}
    permission="api_keys:write"
    danger
    initial={{}}
    what={() => `Every request with the key ${name} is refused from now on. A revoked key cannot come back.`}
    send={() => got(api.DELETE("/api-keys/{id}", { params: { path: { id } } }))}
    touches={TOUCHES}
    said={() => `${name} revoked`}
    button={{ size: "xs" }}
  />
);
