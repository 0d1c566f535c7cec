-- Sessions are found by the hash of their token. Those that were stored in clear end: their people sign in again.
delete from identity.session;
