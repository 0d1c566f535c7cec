import { NativeSelect, Stack, Text } from "@mantine/core";
import type { Shape } from "../../api/client.ts";
import { Fieldset } from "../../components/form.tsx";
import { Rows } from "../../components/resource-page.tsx";
import { Words } from "../../components/values.tsx";

type Preview = Shape<"StatementPreview">;
type Mapping = NonNullable<Preview["mapping"]>;

const FIELDS = [
  ["date", "Date"],
  ["amount", "Amount"],
  ["debit", "Money out"],
  ["credit", "Money in"],
  ["direction", "In or out (Cr, Dr)"],
  ["balance", "Balance"],
  ["reference", "Reference"],
  ["id", "The bank's own number"],
] as const;
const ORDERS = ["DD/MM/YYYY", "MM/DD/YYYY", "YYYY-MM-DD", "YYYY-DD-MM"];
const SIGNS = [
  { value: "", label: "As the file says" },
  { value: "in", label: "Money in" },
  { value: "out", label: "Money out" },
];
const ASKED = "Choose one: the file does not say.";

interface ColumnsProps {
  readonly preview: Preview;
  readonly mapping: Mapping;
  map(mapping: Mapping): void;
}

/** The content of each column of a CSV file, beside its rows. */
export function Columns(props: ColumnsProps) {
  const { preview } = props;
  return (
    <details className="tefo-raw" open={preview.problem !== null || props.mapping !== preview.mapping}>
      <summary>Columns of the file</summary>
      <Stack gap="md">
        <Fieldset
          legend="Match columns"
          about="Amounts stand in one column, or what went out and what came in each in one. A column may say of each amount which it is."
        >
          <Fields {...props} />
        </Fieldset>
        <Text size="sm">The first rows, as they stand:</Text>
        <Rows
          label="The first rows"
          items={preview.rows}
          keyOf={(_cells, index) => String(index)}
          none="No row."
          columns={preview.columns.map((name, place) => ({
            label: name === "" || preview.columns.indexOf(name) !== place ? `${place + 1}. ${name}` : name,
            cell: (cells) => <Words of={cells[place] ?? ""} />,
          }))}
        />
      </Stack>
    </details>
  );
}

function Fields({ preview, mapping, map }: ColumnsProps) {
  const set = (name: keyof Mapping, value: string) => {
    const { [name]: _old, ...others } = mapping;
    map(value === "" ? others : { ...others, [name]: value });
  };
  const texts = [mapping.description ?? []].flat();
  const describe = (place: number, value: string) => {
    const chosen = texts.toSpliced(place, 1, value).filter((one) => one !== "");
    const { description: _old, ...others } = mapping;
    map(chosen.length === 0 ? others : { ...others, description: chosen });
  };
  const asked = (name: string) => (preview.question === name ? { error: ASKED } : {});
  const known = [...new Set(preview.columns.filter((name) => name !== ""))];
  const choices = [{ value: "", label: "None" }, ...known.map((value) => ({ value, label: value }))];
  return (
    <div className="tefo-facts">
      {FIELDS.map(([name, label]) => (
        <NativeSelect
          key={name}
          label={label}
          data={choices}
          value={mapping[name] ?? ""}
          onChange={(event) => set(name, event.currentTarget.value)}
          {...asked(name)}
        />
      ))}
      {[...texts, ""].map((value, place) => (
        <NativeSelect
          key={value || "next"}
          label={place === 0 ? "Description" : `Description, ${place + 1}`}
          data={choices}
          value={value}
          onChange={(event) => describe(place, event.currentTarget.value)}
          {...(place === 0 ? asked("description") : {})}
        />
      ))}
      <Unsigned preview={preview} mapping={mapping} map={map} />
      <NativeSelect
        label="Dates are written"
        data={[{ value: "", label: "As they fit" }, ...ORDERS]}
        value={mapping.dateFormat ?? ""}
        onChange={(event) => set("dateFormat", event.currentTarget.value)}
        {...asked("dateFormat")}
      />
    </div>
  );
}

/** What an amount without a sign is: the one question that a file of OFX may ask, too. */
export function Unsigned({ preview, mapping, map }: ColumnsProps) {
  const { unsigned, ...others } = mapping;
  const chosen = (value: string): Mapping =>
    value === "in" || value === "out" ? { ...others, unsigned: value } : others;
  return (
    <NativeSelect
      label="Amounts without a sign are"
      data={SIGNS}
      value={unsigned ?? ""}
      onChange={(event) => map(chosen(event.currentTarget.value))}
      {...(preview.question === "direction" ? { error: ASKED } : {})}
    />
  );
}
