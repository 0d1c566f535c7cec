-- Who staff are and how they sign in. The tables are better-auth's, in a schema of their own; what staff may do is ours
-- (members). Identity belongs to no organisation: one person may be a member of several.
do $$
begin
  if not exists (select from pg_roles where rolname = 'tefo_identity') then create role tefo_identity nologin; end if;
exception when duplicate_object or unique_violation then null; -- another database of this cluster was first
end $$;
grant tefo_identity to current_user;

create schema identity;

create table identity."user" (
  id text collate "C" primary key,
  name text not null,
  email text not null unique check (email = lower(email)),
  email_verified boolean not null,
  image text,
  two_factor_enabled boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table identity.session (
  id text collate "C" primary key,
  user_id text collate "C" not null references identity."user" on delete cascade,
  token text collate "C" not null unique,
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index session_user_id on identity.session (user_id);

-- One row a way of signing in; ours is `credential`, with the password's hash.
create table identity.account (
  id text collate "C" primary key,
  user_id text collate "C" not null references identity."user" on delete cascade,
  provider_id text not null,
  account_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (user_id, provider_id)
);

-- Short-lived: password resets, second factors under way, trusted devices. Identifiers are hashes.
create table identity.verification (
  id text collate "C" primary key,
  identifier text collate "C" not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index verification_identifier on identity.verification (identifier);
create index verification_expires_at on identity.verification (expires_at);

create table identity.two_factor (
  id text collate "C" primary key,
  user_id text collate "C" not null unique references identity."user" on delete cascade,
  secret text not null,                        -- encrypted, as the backup codes are
  backup_codes text not null,
  verified boolean not null default true,
  failed_verification_count integer not null default 0,
  locked_until timestamptz
);

-- This role sees who signs in and nothing else; the service's own role sees nothing of it.
revoke usage on schema public from public;
grant usage on schema identity to tefo_identity;
grant select, insert, update, delete on all tables in schema identity to tefo_identity;

-- At most one open invitation an address: inviting again ends the link that was sent before.
create unique index invitations_open on invitations (organisation_id, lower(email)) where accepted_at is null;
