import { Button } from "@mantine/core";

/** How many records a page has. */
export const SHOWN = 100;

/** Links to the next records, and back to the first. `after` is the cursor of the present page, null for the first. */
export const Pager = ({
  after,
  next,
  go,
}: {
  readonly after: string | null;
  readonly next: string | null;
  go(after: string | null): void;
}) => (
  <>
    {after && (
      <Button size="xs" variant="default" onClick={() => go(null)}>
        First page
      </Button>
    )}
    {next && (
      <Button size="xs" variant="default" onClick={() => go(next)}>
        The next {SHOWN}
      </Button>
    )}
  </>
);
