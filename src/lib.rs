//! relevo: a WhatsApp field relay that answers technicians from the operator's own systems.
pub mod domain;
