//! `upset serve`: a page that shows campaigns while they run.

use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use clap::Args;
use upset_serve::{Address, Options, Print, ServeError, Server, Stop};

use crate::failure::{self, Failure, print};

/// `upset serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Stores of campaigns, or folders of stores
    #[arg(required = true, value_name = "STORE|FOLDER")]
    paths: Vec<PathBuf>,
    /// Where to listen (default 127.0.0.1:8717, or any free port); addresses that other machines reach need the token that is printed
    #[arg(long, value_name = "ADDR:PORT")]
    listen: Option<Address>,
    /// Serve nothing: print the snapshot (JSON) or the metrics (OpenMetrics) of this moment
    #[arg(long, value_name = "snapshot|metrics", conflicts_with = "listen")]
    print: Option<Print>,
    /// Show the campaign of the parent process, until standard input ends
    #[arg(long, hide = true)]
    of_campaign: bool,
}

/// Set when the server is to end.
static STOP: LazyLock<Arc<Stop>> = LazyLock::new(Arc::default);

/// Runs the command.
pub fn run(args: ServeArgs) -> Result<(), Failure> {
    if let Some(what) = args.print {
        if let Some(path) = args.paths.iter().find(|p| !p.exists()) {
            return Err(ServeError::Missing(path.clone()).into());
        }
        return print(&what.text(args.paths));
    }
    let options = Options {
        paths: args.paths,
        address: args.listen.unwrap_or_default(),
        of_campaign: args.of_campaign,
    };
    let server = Server::bind(&options)?;
    let url = server.url();
    let of_campaign = args.of_campaign;
    // Ctrl-C is for all processes of a terminal; the campaign's ends with it.
    ctrlc::set_handler(move || {
        if !of_campaign {
            STOP.stop();
        }
    })
    .map_err(|e| Failure::new(failure::OURS, format!("cannot wait for Ctrl-C: {e}")))?;
    if !of_campaign {
        failure::say(&format!("follow it at {url} (Ctrl-C ends)\n"));
        return Ok(server.run(&STOP, "The server has ended. What is shown is from then.")?);
    }
    print(&format!("{url}\n"))?;
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        STOP.stop();
    });
    let store: Vec<String> = options.paths.iter().map(|p| p.display().to_string()).collect();
    let store = store.join(" ");
    let last = format!("The campaign has ended. To look at it again: upset serve {store}");
    Ok(server.run(&STOP, &last)?)
}

impl From<ServeError> for Failure {
    fn from(e: ServeError) -> Failure {
        let code = match e {
            ServeError::Token(_) | ServeError::Thread(_) => failure::OURS,
            _ => failure::BAD_INPUT,
        };
        Failure::new(code, e.to_string())
    }
}
