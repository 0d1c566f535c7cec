import { after, before } from "node:test";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import { type Answered, openDashboard, type TestDashboard } from "./dashboard.ts";

/** A dashboard, an organisation and the people who sign in. `dashboard` and `shop` exist during tests only. */
export interface SignInTests {
  readonly dashboard: TestDashboard;
  readonly shop: Organisation;
  /** Adds a viewer of the shop, so that no test meets another's counts; answers the email address. */
  somebody(): Promise<string>;
  signIn(body: unknown, headers?: Record<string, string>): Promise<Answered>;
  /** POST below `/auth`, within a session. */
  post(path: string, cookie: string, body: unknown): Promise<Answered>;
  /** Status of `GET /session`. */
  sessionStatus(cookie: string): Promise<number>;
}

/** Opens the dashboard before the tests of the file and closes it after them. */
export function setUpSignIn(): SignInTests {
  let dashboard: TestDashboard;
  let shop: Organisation;
  let people = 0;
  before(async () => {
    dashboard = await openDashboard();
    shop = await dashboard.addOrganisation({ name: "Shop", slug: "shop" });
  });
  after(() => dashboard.close());
  return {
    get dashboard() {
      return dashboard;
    },
    get shop() {
      return shop;
    },
    somebody: async () => {
      const email = `person${++people}@example.co.za`;
      await dashboard.addMember(shop, email, "viewer");
      return email;
    },
    signIn: (body, headers = {}) => dashboard.call("POST", "/auth/sign-in/email", { body, headers }),
    post: (path, cookie, body) => dashboard.call("POST", `/auth/${path}`, { cookie, body }),
    sessionStatus: async (cookie) => (await dashboard.call("GET", "/session", { cookie })).status,
  };
}
