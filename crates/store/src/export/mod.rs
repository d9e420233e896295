//! Results for other programs.
