import { Skeleton, Stack, Title } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";
import { TextLink } from "./link.tsx";
import { Failure } from "./notice.tsx";
import { useTitle } from "./title.ts";

/** A page with a heading of its own, such as a form; `back` is the address of its back link. */
export function Frame({
  title,
  back,
  children,
}: {
  readonly title: string;
  readonly back?: { readonly label: string; readonly to: string };
  readonly children: ReactNode;
}) {
  useTitle(title);
  return (
    <Stack gap="md">
      {back && (
        <TextLink to={back.to} size="sm" className="tefo-back">
          <Icon name="left" size={14} /> {back.label}
        </TextLink>
      )}
      <Title order={1} size="h2">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

/** Shows the data that was read; until then a loading sign, or the error. */
export function Loaded<T>({
  of,
  children,
}: {
  readonly of: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
}) {
  if (of.isError) return <Failure error={of.error} again={() => void of.refetch()} />;
  if (of.isPending) return <Skeleton height={200} aria-busy="true" aria-label="Loading" />;
  return children(of.data);
}
