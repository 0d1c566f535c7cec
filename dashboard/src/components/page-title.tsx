import { Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTitle } from "./title.ts";

/** A page with a heading that also names the browser's tab. */
export function Titled({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useTitle(title);
  return (
    <Stack gap="md">
      <Title order={1} size="h2">
        {title}
      </Title>
      {children}
    </Stack>
  );
}
