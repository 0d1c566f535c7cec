-- Messages by SMS and WhatsApp: the merchant's account at a provider, what was sent, and numbers that want none.

create table message_accounts (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null check (id like 'macc\_%'),
  channel text not null check (channel = any ('{sms,whatsapp}')),
  provider text not null,
  enabled boolean not null,
  credentials_sealed text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, channel)
);

create table messages (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null check (id like 'msg\_%'),
  channel text not null check (channel = any ('{sms,whatsapp}')),
  kind text not null,
  about text collate "C" not null,
  customer_id text collate "C",
  recipient text not null,
  body text not null,
  parts jsonb,
  segments integer,
  provider text not null,
  provider_ref text collate "C",
  status text not null check (status = any ('{queued,sending,sent,delivered,failed,unknown,not_sent}')),
  error text,
  created_at timestamptz not null,
  leaves_at timestamptz not null,
  sent_at timestamptz,
  delivered_at timestamptz,
  primary key (organisation_id, id),
  foreign key (organisation_id, customer_id) references customers
);
create index messages_about on messages (organisation_id, about, id);
create index messages_customer on messages (organisation_id, customer_id, id) where customer_id is not null;
create index messages_provider_ref on messages (organisation_id, provider_ref) where provider_ref is not null;

-- Numbers whose owners asked for no more messages.
create table message_opt_outs (
  organisation_id text collate "C" not null references organisations,
  phone text collate "C" not null,
  created_at timestamptz not null,
  primary key (organisation_id, phone)
);

alter table message_accounts enable row level security;
alter table message_accounts force row level security;
create policy tenant on message_accounts using (organisation_id = app_organisation())
  with check (organisation_id = app_organisation());
alter table messages enable row level security;
alter table messages force row level security;
create policy tenant on messages using (organisation_id = app_organisation())
  with check (organisation_id = app_organisation());
alter table message_opt_outs enable row level security;
alter table message_opt_outs force row level security;
create policy tenant on message_opt_outs using (organisation_id = app_organisation())
  with check (organisation_id = app_organisation());
grant select, insert, update, delete on message_accounts, messages, message_opt_outs to tefo_app;
