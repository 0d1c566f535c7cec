import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { api, got, type Shape } from "../api/client.ts";
import { useGrowingList } from "../api/lists.ts";
import { useActing } from "../api/session.ts";
import { actionWords } from "../lib/action-words.ts";
import { CHANNEL_NAMES } from "../lib/channels.ts";
import { counted, eventWords, words } from "../lib/words.ts";
import { Actor } from "./actor.tsx";
import { SubmitButton, WhileAllowed } from "./allowed.tsx";
import { Changes } from "./changes.tsx";
import { FormError, useSentForm } from "./form.tsx";
import { TextLink } from "./link.tsx";
import { MoneyAction } from "./money-action.tsx";
import { Failure } from "./notice.tsx";
import { IdLink, statusWords, Time } from "./values.tsx";

type Entry = Shape<"TimelineEntry">;
type Of<Kind extends Entry["kind"]> = Extract<Entry, { kind: Kind }>;

/** The timeline of a record, newest first: events with their webhooks, changes with their actors, mails, and notes of staff. */
export function Timeline({ subject }: { readonly subject: string }) {
  const list = useGrowingList("/timeline", { subject, limit: "50" });
  const entries = list.items;
  return (
    <Stack gap="md">
      <WhileAllowed to="notes:write">
        <NoteForm subject={subject} />
      </WhileAllowed>
      {list.isError && <Failure error={list.error} again={() => void list.refetch()} />}
      {list.isSuccess && entries.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing has happened to this record yet.
        </Text>
      )}
      {entries.length > 0 && (
        <ol className="tefo-timeline">
          {entries.map((entry) => (
            <li key={entry.id} data-kind={entry.kind}>
              <What entry={entry} />
              <div className="tefo-quiet">
                <Time at={entry.at} />
              </div>
            </li>
          ))}
        </ol>
      )}
      {list.hasNextPage && (
        <Group>
          <Button
            size="xs"
            variant="default"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show what was before
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function What({ entry }: { readonly entry: Entry }) {
  switch (entry.kind) {
    case "event":
      return <Happened entry={entry} />;
    case "change":
      return <Changed entry={entry} />;
    case "mail":
      return (
        <>
          Mail{" "}
          <TextLink to={entry.path} underline="always">
            {words(entry.mail)}
          </TextLink>{" "}
          to <span dir="auto">{entry.recipients.join(", ")}</span>, {statusWords(entry.status).toLowerCase()}
        </>
      );
    case "message":
      return (
        <>
          {CHANNEL_NAMES[entry.channel]}{" "}
          <TextLink to={entry.path} underline="always">
            {words(entry.message)}
          </TextLink>{" "}
          to {entry.recipient}, {statusWords(entry.status).toLowerCase()}
        </>
      );
    case "made":
      return <Made entry={entry} />;
    case "note":
      return <Noted entry={entry} />;
  }
}

const Made = ({ entry: { from, actor } }: { readonly entry: Of<"made"> }) => (
  <>
    <strong>Made</strong>
    {actor && (
      <>
        {" "}
        by <Actor of={actor} />
      </>
    )}
    {from && (
      <>
        {" "}
        from <IdLink id={from} />
      </>
    )}
  </>
);

/** A note can be deleted by its author, an owner and an admin (interface 14.2). */
function Noted({ entry: { id, text, author } }: { readonly entry: Of<"note"> }) {
  const { membership } = useActing();
  const mine = author.id === membership.memberId || membership.role === "owner" || membership.role === "admin";
  return (
    <>
      <div className="tefo-note" dir="auto">
        {text}
      </div>
      <Group gap="xs">
        <span>
          Note by <span dir="auto">{author.name}</span>
        </span>
        {mine && (
          <MoneyAction
            label="Delete note"
            title="Delete note"
            permission="notes:write"
            initial={{}}
            danger
            what={() => "The note is gone for everybody, and what it says is kept nowhere else."}
            send={() => got(api.DELETE("/notes/{id}", { params: { path: { id } } }))}
            touches={[]}
            said={() => "Note deleted"}
            button={{ size: "compact-xs", variant: "subtle" }}
          />
        )}
      </Group>
    </>
  );
}

const Happened = ({ entry: { type, detail, path, deliveries } }: { readonly entry: Of<"event"> }) => (
  <>
    <TextLink to={path} underline="always">
      {eventWords(type)}
    </TextLink>
    {detail !== null && `: ${detail}`}
    {deliveries.length > 0 && `, ${counted(deliveries.length, "webhook")} ${deliveryWords(deliveries)}`}
  </>
);

const deliveryWords = (deliveries: Of<"event">["deliveries"]): string =>
  [...new Set(deliveries.map(({ status }) => statusWords(status).toLowerCase()))].join(" and ");

function Changed({ entry: { action, actor, changed } }: { readonly entry: Of<"change"> }) {
  // Addresses change with other fields.
  const shown = changed.filter(({ field }) => !/url$/i.test(field));
  return (
    <>
      <strong>{actionWords(action)}</strong> by <Actor of={actor} />
      {shown.length > 0 && <Changes of={shown.map(({ field, ...values }) => ({ path: field, ...values }))} />}
    </>
  );
}

function NoteForm({ subject }: { readonly subject: string }) {
  const sent = useSentForm({
    initial: { text: "" },
    check: { text: (value) => (value.trim() ? null : "Write something.") },
    send: ({ text }, keyFor) => {
      const body = { subject, text: text.trim() };
      return got(api.POST("/notes", { body, params: { header: { "Idempotency-Key": keyFor(body) } } }));
    },
    touches: [],
    done: () => sent.form.reset(),
  });
  return (
    <form onSubmit={sent.submit} noValidate>
      <Stack gap="xs">
        <FormError error={sent.error} />
        <Textarea
          label="Note"
          description="Only staff see it."
          autosize
          minRows={1}
          dir="auto"
          {...sent.form.getInputProps("text")}
        />
        <Group>
          <SubmitButton busy={sent.busy} size="xs" variant="default">
            Add note
          </SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}
