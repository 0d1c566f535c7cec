import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { libraryStyles } from "./library-styles.ts";

export default defineConfig({
  base: "/dashboard/",
  plugins: [react(), libraryStyles()],
  build: {
    target: "es2023",
    cssTarget: ["chrome125", "firefox125", "safari17.5"],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});
