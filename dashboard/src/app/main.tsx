import "./library.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "./styles.css";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiFailure } from "../api/failure.ts";
import { router } from "./router.tsx";
import { readable, theme } from "./theme.ts";

const nonce = document.querySelector<HTMLMetaElement>('meta[name="tefo-nonce"]')?.content ?? "";
// The library that prevents the page from scrolling under a dialog reads its nonce from here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const cache = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (count, error) =>
        count < 2 && (!(error instanceof ApiFailure) || error.status >= 500 || error.status === 0),
    },
  },
});

const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={readable}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={cache}>
          <Notifications position="bottom-right" limit={3} />
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
