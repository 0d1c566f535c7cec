-- Short addresses of payment links, `/p/<code>`, for messages and QR codes (decisions.md#short-links-have-a-row). The service names the code;
-- the default is for the links that there are, and for those that a process of the version before still makes.
alter table payment_links add column short_code text collate "C" not null
  default substr(translate(encode(decode(md5(gen_random_uuid()::text || gen_random_uuid()::text), 'hex'), 'base64'), '+/', '-_'), 1, 15);
create index payment_links_short_code on payment_links (short_code);

-- Whose it is must be known before its organisation is; the amount and the payer are not seen.
create policy gate on payment_links for select to tefo_gate using (true);
grant select (organisation_id, id, short_code) on payment_links to tefo_gate;
