import { ButtonLink } from "../components/link.tsx";
import { Empty } from "../components/notice.tsx";
import { useTitle } from "../components/title.ts";

/** An address without a page. */
export function NotFound() {
  useTitle("Not found");
  return (
    <Empty
      page
      title="Page not found"
      text="The address may be mistyped, or the page has moved."
      action={<ButtonLink to="/">Home</ButtonLink>}
    />
  );
}
