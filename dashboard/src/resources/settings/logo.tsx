import { Button, FileInput, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";

const BYTES_MAX = 20_000;
const TYPES = "image/png,image/jpeg,image/webp";

/** The sizes in pixels that are tried for a picture that is too large, the greatest first. */
const SIDES = [480, 320, 240, 160, 96];

/** The file as data: URL. */
const read = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

/** A picture drawn smaller, as PNG, or as WebP where only that is small enough; null when none is. */
async function smaller(file: File): Promise<Blob | null> {
  const picture = await createImageBitmap(file);
  for (const side of SIDES) {
    const scale = Math.min(1, side / Math.max(picture.width, picture.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    for (const type of ["image/png", "image/webp"]) {
      const drawn = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, 0.9));
      if (drawn && drawn.type === type && drawn.size <= BYTES_MAX) return drawn;
    }
  }
  return null;
}

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
    const unreadable = () => refuse("This file cannot be read as a picture.");
    try {
      const fitting = file.size > BYTES_MAX ? await smaller(file) : file;
      if (fitting) onChange(await read(fitting));
      else unreadable();
    } catch {
      unreadable();
    }
  };
  return (
    <Stack gap="xs">
      <FileInput
        label="Logo"
        description="PNG, JPEG or WebP; a large one is made smaller. Pages and invoices show it."
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
