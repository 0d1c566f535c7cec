import { useEffect } from "react";

/** Sets the title of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Tefo`;
  }, [title]);
}
