import type { Endpoint } from "../../src/http/endpoint.ts";
import type { Role } from "../../src/modules/members/types.ts";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import { type Answered, openDashboard, type TestDashboard } from "./dashboard.ts";

/** One organisation's dashboard, called with a role. */
export interface Merchant {
  readonly dashboard: TestDashboard;
  readonly organisation: Organisation;
  /** Calls as the owner unless another role is given; `body` is sent as JSON, text unchanged. */
  call(
    method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE",
    path: string,
    body?: unknown,
    role?: Role,
  ): Promise<Answered>;
  close(): Promise<void>;
}

/** A dashboard with these endpoints and one organisation. */
export async function openMerchant(
  endpoints: readonly Endpoint[],
  facts: Partial<Organisation> = {},
  options: { baseUrl?: string } = {},
): Promise<Merchant> {
  const dashboard = await openDashboard({ endpoints, ...options });
  return { ...(await addMerchant(dashboard, facts)), close: () => dashboard.close() };
}

/** Adds another organisation to the dashboard, closed with it. */
export async function addMerchant(dashboard: TestDashboard, facts: Partial<Organisation> = {}): Promise<Merchant> {
  const organisation = await dashboard.addOrganisation({ plan: "business", ...facts });
  const cookies = new Map<Role, Promise<string>>();
  const join = async (role: Role) => {
    const email = `${role}@${organisation.slug}.example`;
    await dashboard.addMember(organisation, email, role);
    return dashboard.signIn(email);
  };
  return {
    dashboard,
    organisation,
    call: async (method, path, body, role = "owner") => {
      const cookie = cookies.get(role) ?? join(role);
      cookies.set(role, cookie);
      return dashboard.call(method, path, { cookie: await cookie, ...(body === undefined ? {} : { body }) });
    },
    close: async () => {},
  };
}

/** The first issue's path of a refusal. */
export const issuePath = ({ body }: Answered): unknown =>
  (body["issues"] as readonly { path: unknown }[] | undefined)?.[0]?.path;

/** The records of a list. */
export const dataOf = ({ body }: Answered): Record<string, unknown>[] => body["data"] as Record<string, unknown>[];
