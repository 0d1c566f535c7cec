-- The API key to which a portal sign-in link was given: who signs in by it uses saved cards only while that key may charge them.
alter table portal_links add column given_to_key text collate "C";
alter table portal_sessions add column given_to_key text collate "C";
