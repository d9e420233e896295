//! Tables, charts and pages from stores.
