-- Clicks of an organisation's referral links, counted, and the sign-ups that partners have reported, each once by its click.
create table referral_clicks (
  organisation_id text collate "C" not null,
  partner text collate "C" not null,
  clicks bigint not null check (clicks > 0),
  primary key (organisation_id, partner),
  foreign key (organisation_id) references organisations (id)
);
alter table referral_clicks enable row level security;
alter table referral_clicks force row level security;
create policy tenant on referral_clicks using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on referral_clicks to tefo_app;

create table referral_sign_ups (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'rfc\_%'),
  partner text collate "C" not null,
  signed_up_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id) references organisations (id)
);
alter table referral_sign_ups enable row level security;
alter table referral_sign_ups force row level security;
create policy tenant on referral_sign_ups using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on referral_sign_ups to tefo_app;
