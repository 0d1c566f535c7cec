import { Switch } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { type KeyFor, useRecord } from "../../api/records.ts";
import { EditPage } from "../../components/edit-page.tsx";
import { type FormOf, ResourceForm } from "../../components/form.tsx";
import { Frame } from "../../components/frame.tsx";
import { NameFields } from "../../components/name-fields.tsx";
import { pathTo } from "../../lib/paths.ts";
import { textOrNull } from "../../lib/values.ts";

const EMPTY = { name: "", description: "", enabled: true };
type Values = typeof EMPTY;

const CHECK = { name: (value: string) => (value.trim() ? null : "Enter a name") };

const bodyOf = (values: Values) => ({ ...values, description: textOrNull(values.description) });

const valuesOf = ({ name, description, enabled }: Shape<"Package">): Values => ({
  name,
  description: description ?? "",
  enabled,
});

/** The form of a new package, or of one to be changed. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id?: string };
  return id === undefined ? <New /> : <Edit id={id} />;
}

const New = () => (
  <Frame title="New package" back={{ label: "Packages", to: "/packages" }}>
    <ResourceForm
      initial={EMPTY}
      check={CHECK}
      fields={fields}
      label="Create package"
      send={(values: Values, keyFor: KeyFor) => {
        const body = bodyOf(values);
        return got(api.POST("/packages", { body, params: { header: { "Idempotency-Key": keyFor(body) } } }));
      }}
      touches={["/packages", "/plans"]}
      said="Package created. Now add a plan"
      to={({ id }) => pathTo("packages", id)}
      back="/packages"
    />
  </Frame>
);

function Edit({ id }: { readonly id: string }) {
  const path = { path: { id } };
  return (
    <EditPage
      title="Edit package"
      back={{ label: "Package", to: pathTo("packages", id) }}
      record={useRecord(["/packages", id], () => got(api.GET("/packages/{id}", { params: path })))}
      valuesOf={valuesOf}
      check={CHECK}
      fields={fields}
      change={(values, edit) => got(api.PATCH("/packages/{id}", { params: path, body: edit(bodyOf(values)) }))}
      touches={["/packages", "/plans"]}
      said="Package updated"
    />
  );
}

const fields = (form: FormOf<Values>) => (
  <>
    <NameFields form={form} />
    <Switch
      label="Enabled"
      description="Nobody can subscribe to a disabled package; those who have it keep it."
      {...form.getInputProps("enabled", { type: "checkbox" })}
    />
  </>
);
