-- Passkeys of staff: one row a credential; the secret half never leaves its owner's device.
create table identity.passkey (
  id text collate "C" primary key,
  user_id text collate "C" not null references identity."user" on delete cascade,
  name text,
  credential_id text collate "C" not null unique,
  public_key text not null,
  counter double precision not null check (counter >= 0), -- 32 bits without a sign, as a number to the library
  device_type text not null,
  backed_up boolean not null,
  transports text,
  aaguid text,
  created_at timestamptz not null
);
create index passkey_user_id on identity.passkey (user_id);

grant select, insert, update, delete on identity.passkey to tefo_identity;
