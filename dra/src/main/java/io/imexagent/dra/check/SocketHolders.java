package io.imexagent.dra.check;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Knows the processes that listen on Unix sockets. */
public interface SocketHolders {

    /** The process that listens on the socket, as far as it can be seen. */
    Optional<Holder> of(Path socket) throws IOException;

    /**
     * A process.
     *
     * @param pid its ID
     * @param command its command line, words joined by blanks
     */
    record Holder(String pid, String command) {

        /** Whether it runs a class of this agent. */
        boolean isThisAgent() {
            return command.contains("io.imexagent.agent.");
        }
    }
}
