import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { Loaded } from "../../components/frame.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { Time, Words } from "../../components/values.tsx";
import { browserName } from "../../lib/browsers.ts";

type OpenSession = Shape<"OpenSession">;
const TOUCHES = ["/account/sessions"];

/** The sessions of the person. */
export function Sessions() {
  const sessions = useRecord(TOUCHES, () => got(api.GET("/account/sessions")));
  const others = sessions.data?.data.some(({ current }) => !current) ?? false;
  return (
    <Section title="Sessions" actions={others && <EndOthers />}>
      <Loaded of={sessions}>
        {({ data }) => (
          <Rows
            label="Sessions"
            items={data}
            keyOf={({ id }) => id}
            none="You are signed in nowhere."
            columns={[
              { label: "Browser", cell: ({ browser }) => <Words of={browserName(browser)} /> },
              { label: "Address", cell: ({ address }) => <Words of={address} /> },
              { label: "Since", cell: ({ startedAt }) => <Time at={startedAt} /> },
              { label: "Last used", cell: ({ usedAt }) => <Time at={usedAt} /> },
              {
                label: "Actions",
                cell: (session) => (session.current ? <span>This one</span> : <End session={session} />),
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

const End = ({ session }: { readonly session: OpenSession }) => (
  <MoneyAction
    label="End"
    title={`End the session of ${browserName(session.browser)}`}
    danger
    initial={{}}
    what={() => "Whoever uses it must sign in again. If it is not yours, change your password too."}
    send={() => got(api.POST("/account/sessions/end", { body: { id: session.id } }))}
    touches={TOUCHES}
    said={() => "Session ended"}
    button={{ size: "xs" }}
  />
);

const EndOthers = () => (
  <MoneyAction
    label="End all others"
    title="End all other sessions"
    danger
    initial={{}}
    what={() => "You stay signed in here, and are signed out everywhere else."}
    send={() => got(api.POST("/auth/revoke-other-sessions", { body: {} }))}
    touches={TOUCHES}
    said={() => "All other sessions ended"}
    button={{ size: "xs" }}
  />
);
