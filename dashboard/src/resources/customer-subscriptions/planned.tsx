import { Alert, Loader } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messageOf } from "../../api/failure.ts";

/** The API's preview of the effect of a form's values; read again when they change. Null values read nothing. */
export function usePlan<Body, Plan>(key: string, body: Body | null, ask: (body: Body) => Promise<Plan>) {
  const [settled] = useDebouncedValue(JSON.stringify(body), 300);
  const query = useQuery({
    queryKey: ["/customer-subscriptions", "plan", key, settled],
    queryFn: () => ask(JSON.parse(settled) as Body),
    enabled: settled !== "null",
    staleTime: 0,
  });
  return { query, current: settled === JSON.stringify(body) };
}

/** A preview beside its form; shows what is missing, that it is being computed, or why it is impossible. */
export function Planned<Plan>({
  of: { query, current },
  missing,
  children,
}: {
  readonly of: ReturnType<typeof usePlan<unknown, Plan>>;
  readonly missing: string;
  readonly children: (plan: Plan) => ReactNode;
}) {
  return (
    <Alert color="gray" title="What will happen" aria-live="polite" aria-busy={query.isFetching || !current}>
      {query.isError ? messageOf(query.error) : null}
      {query.isPending && !query.isFetching && current ? missing : null}
      {query.isFetching ? <Loader size="xs" aria-label="Calculating" /> : null}
      {query.data && !query.isError && !query.isFetching ? children(query.data) : null}
    </Alert>
  );
}
