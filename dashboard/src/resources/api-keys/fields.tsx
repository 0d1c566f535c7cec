import { Checkbox, TextInput } from "@mantine/core";
import type { Shape } from "../../api/client.ts";
import type { FormOf } from "../../components/form.tsx";

/** The values of a key's form. */
export interface Values {
  name: string;
  charges: boolean;
}

/** The body for the API. */
export const bodyOf = ({ name, charges }: Values) => ({
  name: name.trim(),
  permissions: charges ? ["charge_saved_cards"] : [],
});

/** The form's values of an existing key. */
export const valuesOf = ({ name, permissions }: Pick<Shape<"ApiKey">, "name" | "permissions">): Values => ({
  name,
  charges: permissions.includes("charge_saved_cards"),
});

/** The name of the key, and its permissions. */
export const fields = (form: FormOf<Values>) => (
  <>
    <TextInput
      label="Name"
      withAsterisk
      description="What uses it, such as the shop's server."
      autoComplete="off"
      dir="auto"
      {...form.getInputProps("name")}
    />
    <Checkbox
      label="May charge saved cards"
      description="Without the customer being there. Give it to the one key that needs it."
      {...form.getInputProps("charges", { type: "checkbox" })}
    />
  </>
);
