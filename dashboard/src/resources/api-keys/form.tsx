import { api, got } from "../../api/client.ts";
import { ShownOnce } from "../../components/shown-once.tsx";
import { bodyOf, fields, type Values } from "./fields.tsx";

const INITIAL: Values = { name: "", charges: false, scopes: [], expiresOn: "", addresses: "", strict: false };

/** The form of a new key, which is shown once when it is made. */
export const Page = () => (
  <ShownOnce
    title="New API key"
    back={{ label: "API keys", to: "/api-keys" }}
    initial={INITIAL}
    fields={fields}
    label="Create key"
    send={(values) => got(api.POST("/api-keys", { body: bodyOf(values) }))}
    touches={["/api-keys", "/audit-log"]}
    secret={({ key }) => ({
      label: "The key",
      value: key,
      about: "Keep it where your server reads its secrets. It is not shown again; if you lose it, create a new one.",
    })}
  />
);
