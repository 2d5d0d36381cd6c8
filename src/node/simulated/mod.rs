//! A whole node on a simulated core and disk, asked through its interface, with everything that it acknowledged kept in mind.
//!
//! - `world`: starting the node on what a disk holds, and asking it.
//! - `memory`: what was acknowledged, what was begun, and whether what is found fits.
//! - `clients`: who writes, and what.
//! - `power_cut`: the power goes at any call, the node starts anew, and everything acknowledged is there.
//! - `faults`: every call fails once in turn; everything acknowledged is there, and nobody waits for ever.
//! - `damage`: a byte of any file is turned; the shard says which file and where, and others serve on.

mod clients;
mod damage;
mod faults;
mod memory;
mod power_cut;
mod world;
