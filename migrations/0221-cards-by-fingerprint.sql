-- A gateway that cancels the token of a card names the card by its token alone.

create index cards_fingerprint on cards (organisation_id, gateway_account_id, fingerprint) where fingerprint is not null;
