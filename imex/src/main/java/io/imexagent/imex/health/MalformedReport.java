package io.imexagent.imex.health;

/** What nvidia-imex-ctl printed is not understood; the message says what is wrong with it, one line, as a clause. */
public final class MalformedReport extends Exception {

    MalformedReport(String reason) {
        super(PrintedState.line(reason), null, false, false);
    }
}
