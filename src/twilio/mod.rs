//! Twilio: REST client, signatures, inbound forms, error codes.
