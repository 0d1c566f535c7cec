import { Textarea, TextInput } from "@mantine/core";
import type { FormOf } from "./form.tsx";

/** The name of a product, package or plan, and the text about it on its checkout page. */
export const NameFields = <Values extends { readonly name: string; readonly description: string }>({
  form,
}: {
  readonly form: FormOf<Values>;
}) => (
  <>
    <TextInput label="Name" withAsterisk autoComplete="off" dir="auto" {...form.getInputProps("name")} />
    <Textarea
      label="Description"
      description="Shown on its checkout page."
      autosize
      minRows={2}
      dir="auto"
      {...form.getInputProps("description")}
    />
  </>
);
