import { Center, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { TextLink } from "../components/link.tsx";

/** The frame of pages without navigation. */
export const SignedOutPage = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <Center mih="100vh" p="md" component="main" bg="var(--tefo-side)">
    <Paper withBorder shadow="sm" p="xl" w="100%" maw={400}>
      <Stack gap="md">
        <Text fw={750} c="var(--mantine-color-anchor)" size="lg">
          Tefo
        </Text>
        <Title order={1} size="h3">
          {title}
        </Title>
        {children}
      </Stack>
    </Paper>
  </Center>
);

/** The way back from an expired or used link. */
export const ToSignIn = () => (
  <TextLink to="/" size="sm" ta="center">
    To the sign-in
  </TextLink>
);
