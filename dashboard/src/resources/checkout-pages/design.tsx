import { Button, ColorInput, Group, NativeSelect, Paper, Stack, TagsInput, Textarea, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { useMay } from "../../api/session.ts";
import { editing, Fieldset, FormError, type FormOf, useSentForm, WholeInput } from "../../components/form.tsx";
import { Frame, Loaded } from "../../components/frame.tsx";
import { showDone } from "../../components/notice.tsx";
import { words } from "../../lib/words.ts";
import { Preview } from "./preview.tsx";
import { bodyOf, type Values, valuesOf } from "./values.ts";

type Design = Shape<"CheckoutPage">;

/** The design of checkout pages, with a live preview. */
export function Page() {
  const design = useRecord(["/checkout-pages"], () => got(api.GET("/checkout-pages")));
  return (
    <Frame title="Checkout page">
      <Loaded of={design}>{(saved) => <Editor saved={saved} />}</Loaded>
    </Frame>
  );
}

function Editor({ saved }: { readonly saved: Design }) {
  const may = useMay()("checkout_pages:write");
  const { form, busy, error, conflict, submit } = useSentForm({
    initial: valuesOf(saved),
    edits: editing(saved, valuesOf),
    send: (values: Values, _keyFor, edit) => got(api.PUT("/checkout-pages", { body: edit(bodyOf(values)) })),
    touches: ["/checkout-pages"],
    done: () => showDone("The checkout page is saved."),
  });
  return (
    <div className="tefo-designer">
      <form onSubmit={(event: FormEvent<HTMLFormElement>) => submit(event)} noValidate>
        <fieldset className="tefo-fieldset" disabled={!may}>
          <Stack gap="md">
            <FormError error={error} conflict={conflict} />
            <Paper withBorder p="lg">
              <Stack gap="lg">
                <Look form={form} />
                <PayerFields form={form} />
                <Result form={form} name="success" legend="After a payment" />
                <Result form={form} name="failure" legend="After a payment that failed" />
              </Stack>
            </Paper>
            {may && (
              <Group justify="flex-end">
                <Button type="submit" loading={busy}>
                  Save
                </Button>
              </Group>
            )}
          </Stack>
        </fieldset>
      </form>
      <Preview values={form.values} fieldError={form.setFieldError} />
    </div>
  );
}

const Look = ({ form }: { readonly form: FormOf<Values> }) => (
  <Fieldset legend="How it looks">
    <NativeSelect
      label="Template"
      data={(["classic", "split", "minimal"] as const).map((value) => ({ value, label: words(value) }))}
      {...form.getInputProps("template")}
    />
    <TextInput label="Headline" dir="auto" maxLength={120} {...form.getInputProps("headline")} />
    <TextInput label="Below the headline" dir="auto" maxLength={300} {...form.getInputProps("subheadline")} />
    <ColorInput
      label="Accent colour"
      description="Left empty, that of your settings."
      format="hex"
      withPicker={false}
      withEyeDropper={false}
      {...form.getInputProps("accentColour")}
    />
    <TextInput label="Button" placeholder="Pay" dir="auto" maxLength={40} {...form.getInputProps("payButtonText")} />
    <TagsInput
      label="Why it is safe"
      description="Short words beside the button; press Enter after each."
      {...form.getInputProps("trustBadges")}
    />
    <TextInput label="Link to your terms" type="url" {...form.getInputProps("termsUrl")} />
    <Textarea label="Footer" dir="auto" autosize minRows={2} maxLength={500} {...form.getInputProps("footer")} />
  </Fieldset>
);

const FIELDS = { phone: "Phone", company: "Company", address: "Address", vatNumber: "VAT number" } as const;

const PayerFields = ({ form }: { readonly form: FormOf<Values> }) => (
  <Fieldset legend="What the customer is asked" about="Name and email address always.">
    <Group grow align="flex-start">
      {Object.entries(FIELDS).map(([name, label]) => (
        <NativeSelect
          key={name}
          label={label}
          data={["required", "optional", "hidden"].map((value) => ({ value, label: words(value) }))}
          {...form.getInputProps(`fields.${name}`)}
        />
      ))}
    </Group>
  </Fieldset>
);

const Result = ({
  form,
  name,
  legend,
}: {
  readonly form: FormOf<Values>;
  readonly name: "success" | "failure";
  readonly legend: string;
}) => (
  <Fieldset legend={legend}>
    <Textarea
      label="Message"
      dir="auto"
      autosize
      minRows={2}
      maxLength={2000}
      {...form.getInputProps(`${name}.message`)}
    />
    <TextInput label="Leads to" type="url" {...form.getInputProps(`${name}.redirectUrl`)} />
    <Group grow align="flex-start">
      <TextInput label="Button" dir="auto" maxLength={40} {...form.getInputProps(`${name}.buttonText`)} />
      <WholeInput
        label="Leads there after seconds"
        min={0}
        max={60}
        {...form.getInputProps(`${name}.autoRedirectSeconds`)}
      />
    </Group>
    {name === "failure" && (
      <TextInput
        label="Button to try again"
        dir="auto"
        maxLength={40}
        {...form.getInputProps("failure.retryButtonText")}
      />
    )}
  </Fieldset>
);
