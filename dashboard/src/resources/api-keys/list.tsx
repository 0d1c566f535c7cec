import { Group } from "@mantine/core";
import type { Shape } from "../../api/client.ts";
import { TextLink } from "../../components/link.tsx";
import { ResourceList } from "../../components/resource-list.tsx";
import { Status, Time, Words } from "../../components/values.tsx";
import { formatDay } from "../../lib/time.ts";
import { words } from "../../lib/words.ts";
import { Actions } from "./actions.tsx";
import { scopeWords } from "./fields.tsx";

const statusOf = ({ revokedAt, expiresAt }: Shape<"ApiKey">): string =>
  revokedAt ? "revoked" : expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? "expired" : "active";

/** The list of API keys, revoked ones too. */
export const Page = () => (
  <ResourceList
    resource="api-keys"
    title="API keys"
    path="/api-keys"
    exported="/exports/api-keys.csv"
    create={{ label: "New key", permission: "api_keys:write", to: "/api-keys/new" }}
    linkOf={() => null}
    columns={[
      { name: "name", label: "Name", cell: ({ name }) => <Words of={name} /> },
      {
        name: "prefix",
        label: "Prefix",
        cell: ({ id, prefix }) => (
          <TextLink to="/request-log" search={{ keyId: id }}>
            {prefix}
          </TextLink>
        ),
      },
      {
        name: "permissions",
        label: "May do",
        cell: ({ scopes, permissions }) =>
          [...(scopes?.map(scopeWords) ?? ["Everything"]), ...permissions.map((permission) => words(permission))].join(
            ", ",
          ) || "Nothing",
      },
      { name: "status", label: "Status", cell: (key) => <Status of={statusOf(key)} /> },
      { name: "lastUsedOn", label: "Last used", cell: ({ lastUsedOn }) => (lastUsedOn ? formatDay(lastUsedOn) : "–") },
      { name: "createdAt", label: "Since", cell: ({ createdAt }) => <Time at={createdAt} day /> },
      {
        name: "actions",
        label: "Actions",
        cell: (key) => (
          <Group gap="xs">
            <Actions of={key} />
          </Group>
        ),
      },
    ]}
    empty={{
      title: "No key yet",
      text: "Your own systems call Tefo with an API key. The key is shown once, when it is created.",
    }}
  />
);
