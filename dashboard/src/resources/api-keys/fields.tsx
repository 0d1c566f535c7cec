import { Checkbox, TextInput } from "@mantine/core";
import type { Shape } from "../../api/client.ts";
import type { FormOf } from "../../components/form.tsx";

/** What the form of a key holds. */
export interface Values {
  name: string;
  charges: boolean;
}

/** What is sent to the API. */
export const bodyOf = ({ name, charges }: Values) => ({
  name: name.trim(),
  permissions: charges ? ["charge_saved_cards"] : [],
});

/** The form's values of a key that there is. */
export const valuesOf = ({ name, permissions }: Pick<Shape<"ApiKey">, "name" | "permissions">): Values => ({
  name,
  charges: permissions.includes("charge_saved_cards"),
});

/** What the key is called, and what it may. */
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
