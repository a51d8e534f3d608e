//! Where rows lie: what a run asks of a table, and tables that are read here.

pub(crate) mod destination;
pub(crate) mod fault;
pub(crate) mod local;
pub(crate) mod table_backend;
