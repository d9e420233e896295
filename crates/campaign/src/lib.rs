//! Plans, runs and resumes campaigns.
