//! The catalogue of tools: the contract and one file per module.
