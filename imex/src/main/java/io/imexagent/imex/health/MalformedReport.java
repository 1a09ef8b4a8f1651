package io.imexagent.imex.health;

/** An output of nvidia-imex-ctl that cannot be parsed; the message names the fault in one line, as a clause. */
public final class MalformedReport extends Exception {

    MalformedReport(String reason) {
        super(PrintedState.line(reason), null, false, false);
    }
}
