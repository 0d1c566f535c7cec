import { TextInput } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got } from "../../api/client.ts";
import { editing, Fieldset, type FormOf, ResourceForm } from "../../components/form.tsx";
import { Frame, Loaded } from "../../components/frame.tsx";
import { Empty } from "../../components/notice.tsx";
import { pathTo } from "../../lib/paths.ts";
import { textOrNull } from "../../lib/values.ts";
import { words } from "../../lib/words.ts";
import { SOFTWARE_NAMES, type Software, taxInWords, useSoftware } from "./codes.ts";

type Values = Pick<Software, "accounts" | "taxCodes">;

const valuesOf = ({ accounts, taxCodes }: Software): Values => ({ accounts, taxCodes });

/** Empty fields as null, which restores their defaults. */
const cleared = <Name extends string>(codes: Readonly<Record<Name, string>>) =>
  Object.fromEntries(Object.entries<string>(codes).map(([name, code]) => [name, textOrNull(code)])) as Record<
    Name,
    string | null
  >;

const CODE_MAX = 150;

/** The form of the names of ledger accounts and VAT in one accounting software. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const software = useSoftware();
  return (
    <Frame
      title={`Codes of ${SOFTWARE_NAMES[id as Software["software"]] ?? "accounting software"}`}
      back={{ label: "Accounting software", to: pathTo("accounting/software") }}
    >
      <Loaded of={software}>
        {({ data }) => {
          const found = data.find((one) => one.software === id);
          return found ? <Form of={found} /> : <Empty title="Not found" text="No files are made for this software." />;
        }}
      </Loaded>
    </Frame>
  );
}

const Form = ({ of: record }: { readonly of: Software }) => (
  <ResourceForm
    initial={valuesOf(record)}
    edits={editing(record, valuesOf)}
    fields={(form) => (
      <>
        <Fieldset
          legend="Ledger accounts"
          about="As your chart of accounts has them. An empty field gets its default again."
        >
          <Fields form={form} part="accounts" called={words} />
        </Fieldset>
        <Fieldset
          legend="VAT rates"
          about="The name of each rate exactly as the software shows it. {rate} stands for the percentage."
        >
          <Fields form={form} part="taxCodes" called={taxInWords} />
        </Fieldset>
      </>
    )}
    label="Save"
    send={({ accounts, taxCodes }, _keyFor, edit) =>
      got(
        api.PATCH("/accounting/software/{software}", {
          params: { path: { software: record.software } },
          body: edit({ accounts: cleared(accounts), taxCodes: cleared(taxCodes) }),
        }),
      )
    }
    touches={["/accounting", "/audit-log"]}
    said={`Codes of ${SOFTWARE_NAMES[record.software]} updated`}
    to={() => pathTo("accounting/software")}
    back={pathTo("accounting/software")}
  />
);

const Fields = ({
  form,
  part,
  called,
}: {
  readonly form: FormOf<Values>;
  readonly part: keyof Values;
  called(name: string): string;
}) => (
  <div className="tefo-pairs">
    {Object.keys(form.values[part]).map((name) => (
      <TextInput
        key={name}
        label={called(name)}
        dir="auto"
        autoComplete="off"
        maxLength={CODE_MAX}
        {...form.getInputProps(`${part}.${name}`)}
      />
    ))}
  </div>
);
