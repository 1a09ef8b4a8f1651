package io.imexagent.systemd;

/**
 * The journal of this host, for a line of a process whose output it does not read. The journal itself adds to it who sent
 * it, the login of a sudo included (systemd.journal-fields(7)).
 */
public final class Journal {

    private static final NotifySocket SOCKET = NotifySocket.parse("/run/systemd/journal/socket");

    private final Datagrams datagrams;

    /** The journal behind its socket. */
    public Journal() {
        this(new LibcDatagrams());
    }

    Journal(Datagrams datagrams) {
        this.datagrams = datagrams;
    }

    /**
     * Leaves a line of a program, at the level of what is normal and worth to be noticed; control characters become
     * spaces. Returns whether the journal took it.
     */
    public boolean notice(String identifier, String line) {
        String message = line.replaceAll("\\p{Cntrl}", " ");
        try {
            return datagrams.send(
                    SOCKET, "PRIORITY=5\nSYSLOG_IDENTIFIER=" + identifier + "\nMESSAGE=" + message + "\n");
        } catch (LinkageError noNativeCalls) {
            return false;
        }
    }
}
