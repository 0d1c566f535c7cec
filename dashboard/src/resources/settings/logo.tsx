import { Button, FileInput, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";

const BYTES_MAX = 20_000;
const TYPES = "image/png,image/jpeg,image/webp";

/** The file as data: URL. */
const read = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

/** The logo: its path at the service, or a data: URL that is not saved yet; an empty text for none. */
export function LogoInput({
  value,
  error,
  onChange,
  refuse,
}: {
  readonly value: string;
  readonly error?: ReactNode;
  onChange(value: string): void;
  refuse(message: string): void;
}) {
  const choose = async (file: File | null) => {
    if (!file) return;
    if (file.size > BYTES_MAX) return refuse(`It has ${Math.ceil(file.size / 1000)} kB; at most 20 kB are taken.`);
    await read(file).then(onChange, () => refuse("This file cannot be read."));
  };
  return (
    <Stack gap="xs">
      <FileInput
        label="Logo"
        description="PNG, JPEG or WebP of at most 20 kB. Pages and invoices show it."
        placeholder="Choose a picture"
        accept={TYPES}
        value={null}
        error={error}
        onChange={(file) => void choose(file)}
      />
      {value !== "" && (
        <Group gap="sm">
          <img className="tefo-logo" src={value} alt="Your logo" />
          <Button size="xs" variant="default" onClick={() => onChange("")}>
            Remove logo
          </Button>
        </Group>
      )}
    </Stack>
  );
}
