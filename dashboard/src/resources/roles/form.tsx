import { Checkbox, Group, Text, TextInput } from "@mantine/core";
import { useLocation, useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { type Permission, useMay } from "../../api/session.ts";
import { AREA_GROUPS, areasOf, toChange, toSee } from "../../components/areas.ts";
import { EditPage } from "../../components/edit-page.tsx";
import { Fieldset, type FormOf, ResourceForm } from "../../components/form.tsx";
import { Frame, Loaded } from "../../components/frame.tsx";
import { pathTo } from "../../lib/paths.ts";
import { inSentence } from "../../lib/words.ts";

type Role = Shape<"Role">;

interface Values {
  name: string;
  permissions: Permission[];
}

const CHECK = {
  name: (value: string) => (value.trim() ? null : "Enter a name"),
  permissions(value: readonly Permission[]) {
    const { see, change } = areasOf(value);
    return see.length + change.length > 0 ? null : "Choose what the role may see or change.";
  },
};
const TOUCHES = ["/roles", "/members", "/audit-log"];
const useRole = (id: string) =>
  useRecord(["/roles", id], () => got(api.GET("/roles/{id}", { params: { path: { id } } })));
const valuesOf = ({ name, permissions }: Role): Values => ({ name, permissions });
const bodyOf = ({ name, permissions }: Values) => ({ name: name.trim(), permissions });

/** The form of a new role, or of one to be changed; `?from=` in the address names the role that a new one begins as. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id?: string };
  const { from } = useLocation().search as { from?: string };
  if (id !== undefined) return <Edit id={id} />;
  return (
    <Frame title="New role" back={{ label: "Roles", to: "/roles" }}>
      {from === undefined ? <New permissions={[]} /> : <Copy of={from} />}
    </Frame>
  );
}

const Copy = ({ of }: { readonly of: string }) => (
  <Loaded of={useRole(of)}>{({ permissions }) => <New permissions={permissions} />}</Loaded>
);

function New({ permissions }: Pick<Values, "permissions">) {
  const may = useMay();
  // Nobody gives what they may not do themselves.
  const initial: Values = { name: "", permissions: permissions.filter(may) };
  return (
    <ResourceForm
      initial={initial}
      check={CHECK}
      fields={(form) => <Fields form={form} />}
      label="Create role"
      send={(values) => got(api.POST("/roles", { body: bodyOf(values) }))}
      touches={TOUCHES}
      said="Role created"
      to={({ id }) => pathTo("roles", id)}
      back="/roles"
    />
  );
}

const Edit = ({ id }: { readonly id: string }) => (
  <EditPage
    title="Edit role"
    back={{ label: "Role", to: pathTo("roles", id) }}
    record={useRole(id)}
    valuesOf={valuesOf}
    check={CHECK}
    fields={(form) => <Fields form={form} />}
    change={(values, edit) => got(api.PATCH("/roles/{id}", { params: { path: { id } }, body: edit(bodyOf(values)) }))}
    touches={TOUCHES}
    said="Role updated"
  />
);

const Fields = ({ form }: { readonly form: FormOf<Values> }) => (
  <>
    <TextInput
      label="Name"
      withAsterisk
      description="What you call those who have it, such as Debtors' clerk."
      autoComplete="off"
      dir="auto"
      maxLength={40}
      {...form.getInputProps("name")}
    />
    <Text size="sm" c="dimmed">
      Who may change something sees it, too. A change holds immediately for all who have the role.
    </Text>
    {form.errors["permissions"] && (
      <Text size="sm" c="red" role="alert">
        {form.errors["permissions"]}
      </Text>
    )}
    {AREA_GROUPS.map(({ label, areas }) => (
      <Fieldset key={label} legend={label}>
        {areas.map((area) => (
          <Group key={area.name} justify="space-between" gap="xs">
            <span>{area.label}</span>
            <Group gap="md">
              <Choice form={form} permission={toSee(area)} verb="See" of={area.label} />
              <Choice form={form} permission={toChange(area)} verb="Change" of={area.label} />
            </Group>
          </Group>
        ))}
      </Fieldset>
    ))}
  </>
);

/** The permissions with or without one: who changes something sees it, too. */
function toggled(permissions: readonly Permission[], permission: Permission, on: boolean): Permission[] {
  const see = permission.replace(":write", ":read") as Permission;
  const change = permission.replace(":read", ":write") as Permission;
  if (on) return [...new Set([...permissions, see, permission])];
  return permissions.filter((one) => one !== change && (one !== see || permission === change));
}

function Choice({
  form,
  permission,
  verb,
  of,
}: {
  readonly form: FormOf<Values>;
  readonly permission: Permission | null;
  readonly verb: "See" | "Change";
  readonly of: string;
}) {
  const may = useMay();
  if (permission === null) return null;
  const { permissions } = form.values;
  return (
    <Checkbox
      label={verb}
      aria-label={`${verb} ${inSentence(of)}`}
      checked={permissions.includes(permission)}
      disabled={!may(permission)}
      onChange={({ currentTarget }) =>
        form.setFieldValue("permissions", toggled(permissions, permission, currentTarget.checked))
      }
    />
  );
}
